package org.sallyport.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolName;

/**
 * The part of the original execution that a re-run replays.
 *
 * @param startedCalls the calls, by their ordinals
 * @param endedCalls the replies, in the order in which the script received them
 * @param replayLog times and timers that the script received before the first call that is not replayed
 * @param replyCountBefore how many replies the script received before that call
 * @param fallbackTools the fallback tools that were called in place of the script's tools, by the ordinals of the calls
 * @param sameScript whether the script is the same, so that it must make the same calls
 * @param offline whether no call is made for real, not even a call that is not recorded
 */
public record RecordedExecution(
        Map<Long, TraceEvent.ToolStarted> startedCalls,
        List<TraceEvent.ToolEnded> endedCalls,
        String replayLog,
        long replyCountBefore,
        Map<Long, List<ToolName>> fallbackTools,
        boolean sameScript,
        boolean offline) {
    /** The recording of an execution that is no re-run. */
    public static final RecordedExecution NONE =
            new RecordedExecution(Map.of(), List.of(), "", 0, Map.of(), false, false);

    public RecordedExecution {
        startedCalls = Map.copyOf(startedCalls);
        endedCalls = List.copyOf(endedCalls);
        fallbackTools = Map.copyOf(fallbackTools);
    }

    /** Selects the part of the original's stored entries that {@code rerun} covers. */
    public static RecordedExecution of(List<TraceEvent> stored, RerunOrigin rerun) {
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
            } else if (event instanceof TraceEvent.ToolEnded ended
                    && rerun.covers(ended.call())
                    && reachedScript(ended)) {
                answers.add(ended);
                before += beyond ? 0 : 1;
            } else if (event instanceof TraceEvent.PolicyDecided judged
                    && judged.decision().equals(TraceEvent.PolicyDecided.FALLBACK)
                    && rerun.covers(judged.call())) {
                standIns.computeIfAbsent(judged.call(), any -> new ArrayList<>())
                        .add(judged.tool());
            } else if (event instanceof TraceEvent.ReplayLogRecorded recorded && !beyond) {
                notes.append(recorded.replayLog());
            }
        }
        return new RecordedExecution(
                starts,
                answers,
                notes.toString(),
                before,
                standIns,
                !rerun.edited(),
                rerun.mode() == RerunOrigin.RerunMode.OFFLINE);
    }

    /** A call that was still open when its execution ended was cancelled: the script never received the reply. */
    private static boolean reachedScript(TraceEvent.ToolEnded ended) {
        return ended.error()
                .filter(error -> error.code() == ToolErrorCode.CANCELLED)
                .isEmpty();
    }

    /** Returns the reply to a call; empty when there is none. */
    Optional<TraceEvent.ToolEnded> findEndedCall(long call) {
        return endedCalls.stream().filter(answer -> answer.call() == call).findFirst();
    }
}
