package org.sallyport.journal;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * What the earlier runs of an execution did and heard, for a run that repeats them: matches its calls with theirs by
 * ordinal, tool and arguments, and gives the answers in the order in which they were given then. Not thread-safe.
 */
public final class Replay {
    private static final int SHOWN = 200;

    private final Map<Long, TraceEvent.ToolStarted> starts = new HashMap<>();
    private final Set<Long> answered = new HashSet<>();
    private final Deque<TraceEvent.ToolEnded> answers = new ArrayDeque<>();
    private final Set<Long> called = new HashSet<>();
    private final StringBuilder notes = new StringBuilder();
    private final long replies;

    /** What becomes of a call. */
    public sealed interface Match {
        /** It was not made before. */
        record Fresh() implements Match {}

        /** It was answered: the same answer comes by {@link #next}. */
        record Answered() implements Match {}

        /** It was made, and nobody knows of an answer. */
        record Unanswered() implements Match {}

        /**
         * Another call was made in its place.
         *
         * @param message which, and how it differs
         */
        record Diverged(String message) implements Match {}
    }

    /** @param recording all that is stored of the earlier runs, in order; nothing for a first run */
    public Replay(List<TraceEvent> recording) {
        for (TraceEvent event : recording) {
            if (event instanceof TraceEvent.ToolStarted started) {
                starts.put(started.call(), started);
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                answers.add(ended);
                answered.add(ended.call());
            } else if (event instanceof TraceEvent.Recorded recorded) {
                notes.append(recorded.notes());
            }
        }
        replies = answers.size();
    }

    /** Times and timers that were heard. */
    public String notes() {
        return notes.toString();
    }

    /** How many answers were given. */
    public long replies() {
        return replies;
    }

    /** The script makes a call; {@code arguments} as the trace would tell them. */
    public Match called(long call, ToolName tool, Json arguments) {
        TraceEvent.ToolStarted before = starts.get(call);
        if (before == null) {
            return new Match.Fresh();
        }
        called.add(call);
        if (!before.tool().equals(tool) || !before.arguments().equals(arguments)) {
            return new Match.Diverged("call " + call + " was " + shown(before.tool(), before.arguments(), arguments)
                    + ", and now is " + shown(tool, arguments, before.arguments()));
        }
        return answered.contains(call) ? new Match.Answered() : new Match.Unanswered();
    }

    /** The answer whose turn it is, if the script has made its call; given out once. */
    public Optional<TraceEvent.ToolEnded> next() {
        TraceEvent.ToolEnded first = answers.peek();
        return first != null && called.contains(first.call()) ? Optional.of(answers.remove()) : Optional.empty();
    }

    /** Whether every answer was given out: what is answered now is new. */
    public boolean isOver() {
        return answers.isEmpty();
    }

    /** A call that was made before and not in this run; of a run that has ended, a proof that it took another way. */
    public Optional<String> missed() {
        return starts.values().stream()
                .filter(start -> !called.contains(start.call()))
                .min(Comparator.comparingLong(TraceEvent.ToolStarted::call))
                .map(start -> "call " + start.call() + " was " + start.tool() + ", and now is not made");
    }

    /** From shortly before the place where the arguments differ. */
    private static String shown(ToolName tool, Json arguments, Json others) {
        String text = arguments.text();
        int same = 0;
        while (same < Math.min(text.length(), others.text().length())
                && text.charAt(same) == others.text().charAt(same)) {
            same++;
        }
        int start = same < SHOWN / 2 ? 0 : same - SHOWN / 4;
        int end = Math.min(text.length(), start + SHOWN);
        return tool + " " + (start > 0 ? "…" : "") + text.substring(start, end) + (end < text.length() ? "…" : "");
    }
}
