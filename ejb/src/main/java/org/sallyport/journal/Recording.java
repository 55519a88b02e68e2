package org.sallyport.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.Rerun;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/**
 * What a re-run takes over of the execution that it repeats.
 *
 * @param starts the calls, by their ordinals
 * @param answers what they were answered, in the order in which the script heard it
 * @param notes times and timers that were heard before the first call that is not taken over
 * @param repliesBefore how many answers were heard before that call
 * @param standIns what was called in the place of what the script called, by the ordinals of the calls
 * @param exact whether the script is the same, so that it must make the same calls
 * @param closed whether nothing is made for real, not even what is not in here
 */
public record Recording(
        Map<Long, TraceEvent.ToolStarted> starts,
        List<TraceEvent.ToolEnded> answers,
        String notes,
        long repliesBefore,
        Map<Long, List<ToolName>> standIns,
        boolean exact,
        boolean closed) {
    /** That of an execution that repeats no other. */
    public static final Recording NONE = new Recording(Map.of(), List.of(), "", 0, Map.of(), false, false);

    public Recording {
        starts = Map.copyOf(starts);
        answers = List.copyOf(answers);
        standIns = Map.copyOf(standIns);
    }

    /** What {@code rerun} takes over of all that is stored of the other execution. */
    public static Recording of(List<TraceEvent> stored, Rerun rerun) {
        Map<Long, TraceEvent.ToolStarted> starts = new HashMap<>();
        List<TraceEvent.ToolEnded> answers = new ArrayList<>();
        Map<Long, List<ToolName>> standIns = new HashMap<>();
        StringBuilder notes = new StringBuilder();
        long before = 0;
        boolean beyond = false;
        for (TraceEvent event : stored) {
            if (event instanceof TraceEvent.ToolStarted started && rerun.covers(started.call())) {
                starts.put(started.call(), started);
            } else if (event instanceof TraceEvent.ToolStarted) {
                beyond = true;
            } else if (event instanceof TraceEvent.ToolEnded ended && rerun.covers(ended.call()) && wasHeard(ended)) {
                answers.add(ended);
                before += beyond ? 0 : 1;
            } else if (event instanceof TraceEvent.Judged judged
                    && judged.decision().equals(TraceEvent.Judged.FALLBACK)
                    && rerun.covers(judged.call())) {
                standIns.computeIfAbsent(judged.call(), any -> new ArrayList<>())
                        .add(judged.tool());
            } else if (event instanceof TraceEvent.Recorded recorded && !beyond) {
                notes.append(recorded.notes());
            }
        }
        return new Recording(
                starts,
                answers,
                notes.toString(),
                before,
                standIns,
                !rerun.edited(),
                rerun.mode() == Rerun.Mode.OFFLINE);
    }

    /** A call that was still open when its execution ended was withdrawn: the script never heard of it. */
    private static boolean wasHeard(TraceEvent.ToolEnded ended) {
        return ended.error()
                .filter(error -> error.code() == ToolErrorCode.CANCELLED)
                .isEmpty();
    }

    /** What a call was answered. */
    Optional<TraceEvent.ToolEnded> answer(long call) {
        return answers.stream().filter(answer -> answer.call() == call).findFirst();
    }
}
