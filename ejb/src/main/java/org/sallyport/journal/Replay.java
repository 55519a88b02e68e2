package org.sallyport.journal;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.sallyport.approval.ApprovalState;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * What the earlier runs of an execution did and heard, for a run that repeats them: matches its calls with theirs by
 * ordinal, tool and arguments, and gives the answers in the order in which they were given then. A re-run goes on with the
 * {@link Recording} of another execution where its own runs had not come to. Not thread-safe.
 */
public final class Replay {
    private static final int SHOWN = 200;

    private final Recording recording;
    private final Map<Long, TraceEvent.ToolStarted> starts = new HashMap<>();
    private final Set<Long> noted = new HashSet<>();
    private final Set<Long> answered = new HashSet<>();
    private final Deque<TraceEvent.ToolEnded> answers = new ArrayDeque<>();
    private final Set<Long> called = new HashSet<>();
    private final StringBuilder notes = new StringBuilder();
    private final Set<UUID> asked = new HashSet<>();
    private final Set<Long> heldBack = new HashSet<>();
    /** Of them, on which people had not said yes since. */
    private final Set<Long> stillHeld = new HashSet<>();

    private final Map<Long, List<TraceEvent.Decided>> decided = new HashMap<>();
    /** Calls that an own run made to others than the script called. */
    private final Set<Long> fellBack = new HashSet<>();

    private final Map<Long, List<ToolName>> standIns = new HashMap<>();
    private final long replies;
    /** Whether an edited script has left the recording. */
    private boolean left;

    /**
     * What becomes of a call. Where there is {@code noted}: whether the own journal tells of the call.
     */
    public sealed interface Match {
        /** It was not made before. */
        record Fresh() implements Match {}

        /** It was answered: the same answer comes by {@link #next}. */
        record Answered(boolean noted) implements Match {}

        /** An edited script makes a call of the recording: its answer is for now. */
        record Repeated(TraceEvent.ToolEnded answer, boolean noted) implements Match {}

        /** It was made, and nobody knows of an answer. */
        record Unanswered(boolean noted) implements Match {}

        /** It may not be made for real, and the recording has no answer. */
        record NotRecorded(boolean noted) implements Match {}

        /**
         * Another call was made in its place.
         *
         * @param message which, and how it differs
         */
        record Diverged(String message) implements Match {}
    }

    /**
     * An answer whose turn it is.
     *
     * @param noted whether the own journal tells of it
     */
    public record Due(TraceEvent.ToolEnded answer, boolean noted) {}

    /** @param own all that is stored of the earlier runs, in order; nothing for a first run */
    public Replay(List<TraceEvent> own) {
        this(own, Recording.NONE);
    }

    /**
     * Of a re-run.
     *
     * @param own as above
     * @param recording what it takes over
     */
    public Replay(List<TraceEvent> own, Recording recording) {
        this.recording = recording;
        for (TraceEvent event : own) {
            if (event instanceof TraceEvent.ToolStarted started) {
                starts.put(started.call(), started);
                TraceEvent.ToolStarted then = recording.starts().get(started.call());
                left |= !started.replayed() && then != null && differs(then, started.tool(), started.arguments());
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                answers.add(ended);
                noted.add(ended.call());
            } else if (event instanceof TraceEvent.Recorded recorded) {
                notes.append(recorded.notes());
            } else if (event instanceof TraceEvent.Judged judged
                    && judged.decision().equals(TraceEvent.Judged.FALLBACK)) {
                fellBack.add(judged.call());
                standIns.computeIfAbsent(judged.call(), any -> new ArrayList<>())
                        .add(judged.tool());
            } else if (event instanceof TraceEvent.Judged judged
                    && judged.decision().equals("ask")) {
                heldBack.add(judged.call());
                stillHeld.add(judged.call());
            } else if (event instanceof TraceEvent.Judged judged
                    && !judged.decision().equals(TraceEvent.Judged.MOCK)) {
                // What is answered without being made was held back to the end.
                heldBack.remove(judged.call());
                stillHeld.remove(judged.call());
            } else if (event instanceof TraceEvent.Asked question) {
                asked.add(question.approval());
            } else if (event instanceof TraceEvent.Decided decision) {
                decided.computeIfAbsent(decision.call(), any -> new ArrayList<>())
                        .add(decision);
                if (decision.state() != ApprovalState.DENIED) {
                    stillHeld.remove(decision.call());
                }
            }
        }
        recording
                .standIns()
                .forEach((call, tools) ->
                        standIns.computeIfAbsent(call, any -> new ArrayList<>()).addAll(tools));
        answered.addAll(noted);
        if (recording.exact()) {
            // What was repeated of it before stands in the same order at the head of the own answers.
            recording.answers().stream()
                    .filter(answer -> answered.add(answer.call()))
                    .forEach(answers::add);
        }
        replies = answers.size();
    }

    /** Times and timers that were heard by the own earlier runs. */
    public String notes() {
        return notes.toString();
    }

    /** How many answers are to be repeated in order. */
    public long replies() {
        return replies;
    }

    /** The script makes a call; {@code arguments} as the trace would tell them. */
    public Match called(long call, ToolName tool, Json arguments) {
        called.add(call);
        TraceEvent.ToolStarted before = starts.get(call);
        if (before == null) {
            return recorded(call, tool, arguments);
        } else if (differs(before, tool, arguments)) {
            return diverged(before, tool, arguments);
        } else if (answered.contains(call)) {
            return new Match.Answered(true);
        }
        Optional<Match> repeated = before.replayed() && !recording.exact() ? repeated(call, true) : Optional.empty();
        return repeated.orElseGet(() -> recording.closed() ? new Match.NotRecorded(true) : new Match.Unanswered(true));
    }

    /** A call that no own run has made. */
    private Match recorded(long call, ToolName tool, Json arguments) {
        TraceEvent.ToolStarted then = left ? null : recording.starts().get(call);
        if (then != null && differs(then, tool, arguments)) {
            if (recording.exact()) {
                return diverged(then, tool, arguments);
            }
            left = true;
            then = null;
        }
        if (then == null) {
            return recording.closed() ? new Match.NotRecorded(false) : new Match.Fresh();
        } else if (answered.contains(call)) {
            return new Match.Answered(false);
        }
        Optional<Match> repeated = recording.exact() ? Optional.empty() : repeated(call, false);
        return repeated.orElseGet(
                () -> recording.closed() ? new Match.NotRecorded(false) : new Match.Unanswered(false));
    }

    private Optional<Match> repeated(long call, boolean isNoted) {
        return recording.answer(call).map(answer -> new Match.Repeated(answer, isNoted));
    }

    private static boolean differs(TraceEvent.ToolStarted before, ToolName tool, Json arguments) {
        return !before.tool().equals(tool) || !before.arguments().equals(arguments);
    }

    private static Match diverged(TraceEvent.ToolStarted before, ToolName tool, Json arguments) {
        return new Match.Diverged(
                "call " + before.call() + " was " + shown(before.tool(), before.arguments(), arguments)
                        + ", and now is " + shown(tool, arguments, before.arguments()));
    }

    /** The answer whose turn it is, if the script has made its call; given out once. */
    public Optional<Due> next() {
        TraceEvent.ToolEnded first = answers.peek();
        return first != null && called.contains(first.call())
                ? Optional.of(new Due(answers.remove(), noted.contains(first.call())))
                : Optional.empty();
    }

    /** Whether every answer was given out: what is answered now is new. */
    public boolean isOver() {
        return answers.isEmpty();
    }

    /** Whether an own earlier run has made a call of that tool for real. */
    public boolean hasMade(ToolName tool) {
        return starts.values().stream()
                .anyMatch(start -> !start.replayed() && start.tool().equals(tool));
    }

    /** When an own earlier run made a call. */
    public Optional<Instant> madeAt(long call) {
        return Optional.ofNullable(starts.get(call)).map(TraceEvent.ToolStarted::at);
    }

    /** Whether the own journal tells that people were asked this. */
    public boolean hasAsked(UUID approval) {
        return asked.contains(approval);
    }

    /** Whether, by the own journal, a call was not to leave before people were asked. */
    public boolean wasAsked(long call) {
        return heldBack.contains(call);
    }

    /** Whether people were asked before a call could leave, and no own earlier run has heard them say yes to what was asked last. */
    public boolean wasHeldBack(long call) {
        return stillHeld.contains(call);
    }

    /** Whether an own earlier run may have made a call to another backend than the script called. */
    public boolean fellBack(long call) {
        return fellBack.contains(call);
    }

    /** What was called in the place of the tools that the script called, by the ordinals of its calls. */
    public Map<Long, List<ToolName>> standIns() {
        return Map.copyOf(standIns);
    }

    /** What people decided on a call, as far as own earlier runs have heard. */
    public List<TraceEvent.Decided> decisions(long call) {
        return decided.getOrDefault(call, List.of());
    }

    /** A call that was made before and not in this run; of a run that has ended, a proof that it took another way. */
    public Optional<String> missed() {
        return Stream.concat(
                        starts.values().stream(),
                        recording.exact() ? recording.starts().values().stream() : Stream.empty())
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
