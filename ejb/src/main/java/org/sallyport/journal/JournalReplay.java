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
 * {@link RecordedExecution} of another execution where its own runs had not come to. Not thread-safe.
 */
public final class JournalReplay {
    private static final int MAX_SHOWN_LENGTH = 200;

    private final RecordedExecution recording;
    private final Map<Long, TraceEvent.ToolStarted> startedCalls = new HashMap<>();
    private final Set<Long> endedInJournal = new HashSet<>();
    private final Set<Long> answeredCalls = new HashSet<>();
    private final Deque<TraceEvent.ToolEnded> pendingReplies = new ArrayDeque<>();
    private final Set<Long> madeCalls = new HashSet<>();
    private final StringBuilder replayLog = new StringBuilder();
    private final Set<UUID> requestedApprovals = new HashSet<>();
    private final Set<Long> heldForApproval = new HashSet<>();
    /** Of them, on which people had not said yes since. */
    private final Set<Long> awaitingApproval = new HashSet<>();

    private final Map<Long, List<TraceEvent.ApprovalDecided>> decisionsByCall = new HashMap<>();
    /** Calls that an own run made to others than the script called. */
    private final Set<Long> fallbackCalls = new HashSet<>();

    private final Map<Long, List<ToolName>> fallbackTools = new HashMap<>();
    private final long replyCount;
    /** Whether an edited script has left the recording. */
    private boolean leftRecording;

    /**
     * What becomes of a call. Where there is {@code noted}: whether the own journal tells of the call.
     */
    public sealed interface CallMatch {
        /** It was not made before. */
        record NewCall() implements CallMatch {}

        /** It was answered: the same answer comes by {@link #nextReply}. */
        record AnsweredCall(boolean journaled) implements CallMatch {}

        /** An edited script makes a call of the recording: its answer is for now. */
        record RepeatedCall(TraceEvent.ToolEnded answer, boolean journaled) implements CallMatch {}

        /** It was made, and nobody knows of an answer. */
        record UnansweredCall(boolean journaled) implements CallMatch {}

        /** It may not be made for real, and the recording has no answer. */
        record UnrecordedCall(boolean journaled) implements CallMatch {}

        /**
         * Another call was made in its place.
         *
         * @param message which, and how it differs
         */
        record DivergedCall(String message) implements CallMatch {}
    }

    /**
     * An answer whose turn it is.
     *
     * @param journaled whether the own journal tells of it
     */
    public record DueReply(TraceEvent.ToolEnded answer, boolean journaled) {}

    /** @param own all that is stored of the earlier runs, in order; nothing for a first run */
    public JournalReplay(List<TraceEvent> own) {
        this(own, RecordedExecution.NONE);
    }

    /**
     * Of a re-run.
     *
     * @param own as above
     * @param recording what it takes over
     */
    public JournalReplay(List<TraceEvent> own, RecordedExecution recording) {
        this.recording = recording;
        for (TraceEvent event : own) {
            if (event instanceof TraceEvent.ToolStarted started) {
                startedCalls.put(started.call(), started);
                TraceEvent.ToolStarted then = recording.startedCalls().get(started.call());
                leftRecording |=
                        !started.replayed() && then != null && differs(then, started.tool(), started.arguments());
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                pendingReplies.add(ended);
                endedInJournal.add(ended.call());
            } else if (event instanceof TraceEvent.ReplayLogRecorded recorded) {
                replayLog.append(recorded.replayLog());
            } else if (event instanceof TraceEvent.PolicyDecided judged
                    && judged.decision().equals(TraceEvent.PolicyDecided.FALLBACK)) {
                fallbackCalls.add(judged.call());
                fallbackTools
                        .computeIfAbsent(judged.call(), any -> new ArrayList<>())
                        .add(judged.tool());
            } else if (event instanceof TraceEvent.PolicyDecided judged
                    && judged.decision().equals("ask")) {
                heldForApproval.add(judged.call());
                awaitingApproval.add(judged.call());
            } else if (event instanceof TraceEvent.PolicyDecided judged
                    && !judged.decision().equals(TraceEvent.PolicyDecided.MOCK)) {
                // What is answered without being made was held back to the end.
                heldForApproval.remove(judged.call());
                awaitingApproval.remove(judged.call());
            } else if (event instanceof TraceEvent.ApprovalRequested question) {
                requestedApprovals.add(question.approval());
            } else if (event instanceof TraceEvent.ApprovalDecided decision) {
                decisionsByCall
                        .computeIfAbsent(decision.call(), any -> new ArrayList<>())
                        .add(decision);
                if (decision.state() != ApprovalState.DENIED) {
                    awaitingApproval.remove(decision.call());
                }
            }
        }
        recording
                .fallbackTools()
                .forEach((call, tools) -> fallbackTools
                        .computeIfAbsent(call, any -> new ArrayList<>())
                        .addAll(tools));
        answeredCalls.addAll(endedInJournal);
        if (recording.sameScript()) {
            // What was repeated of it before stands in the same order at the head of the own answers.
            recording.endedCalls().stream()
                    .filter(answer -> answeredCalls.add(answer.call()))
                    .forEach(pendingReplies::add);
        }
        replyCount = pendingReplies.size();
    }

    /** Times and timers that were heard by the own earlier runs. */
    public String replayLog() {
        return replayLog.toString();
    }

    /** How many answers are to be repeated in order. */
    public long replyCount() {
        return replyCount;
    }

    /** The script makes a call; {@code arguments} as the trace would tell them. */
    public CallMatch matchCall(long call, ToolName tool, Json arguments) {
        madeCalls.add(call);
        TraceEvent.ToolStarted before = startedCalls.get(call);
        if (before == null) {
            return matchRecordedCall(call, tool, arguments);
        } else if (differs(before, tool, arguments)) {
            return divergedCall(before, tool, arguments);
        } else if (answeredCalls.contains(call)) {
            return new CallMatch.AnsweredCall(true);
        }
        Optional<CallMatch> repeated =
                before.replayed() && !recording.sameScript() ? findRepeatedCall(call, true) : Optional.empty();
        return repeated.orElseGet(
                () -> recording.offline() ? new CallMatch.UnrecordedCall(true) : new CallMatch.UnansweredCall(true));
    }

    /** A call that no own run has made. */
    private CallMatch matchRecordedCall(long call, ToolName tool, Json arguments) {
        TraceEvent.ToolStarted then =
                leftRecording ? null : recording.startedCalls().get(call);
        if (then != null && differs(then, tool, arguments)) {
            if (recording.sameScript()) {
                return divergedCall(then, tool, arguments);
            }
            leftRecording = true;
            then = null;
        }
        if (then == null) {
            return recording.offline() ? new CallMatch.UnrecordedCall(false) : new CallMatch.NewCall();
        } else if (answeredCalls.contains(call)) {
            return new CallMatch.AnsweredCall(false);
        }
        Optional<CallMatch> repeated = recording.sameScript() ? Optional.empty() : findRepeatedCall(call, false);
        return repeated.orElseGet(
                () -> recording.offline() ? new CallMatch.UnrecordedCall(false) : new CallMatch.UnansweredCall(false));
    }

    private Optional<CallMatch> findRepeatedCall(long call, boolean isNoted) {
        return recording.findEndedCall(call).map(answer -> new CallMatch.RepeatedCall(answer, isNoted));
    }

    private static boolean differs(TraceEvent.ToolStarted before, ToolName tool, Json arguments) {
        return !before.tool().equals(tool) || !before.arguments().equals(arguments);
    }

    private static CallMatch divergedCall(TraceEvent.ToolStarted before, ToolName tool, Json arguments) {
        return new CallMatch.DivergedCall(
                "call " + before.call() + " was " + excerpt(before.tool(), before.arguments(), arguments)
                        + ", and now is " + excerpt(tool, arguments, before.arguments()));
    }

    /** The answer whose turn it is, if the script has made its call; given out once. */
    public Optional<DueReply> nextReply() {
        TraceEvent.ToolEnded first = pendingReplies.peek();
        return first != null && madeCalls.contains(first.call())
                ? Optional.of(new DueReply(pendingReplies.remove(), endedInJournal.contains(first.call())))
                : Optional.empty();
    }

    /** Whether every answer was given out: what is answered now is new. */
    public boolean isComplete() {
        return pendingReplies.isEmpty();
    }

    /** Whether an own earlier run has made a call of that tool for real. */
    public boolean hasCalled(ToolName tool) {
        return startedCalls.values().stream()
                .anyMatch(start -> !start.replayed() && start.tool().equals(tool));
    }

    /** When an own earlier run made a call. */
    public Optional<Instant> calledAt(long call) {
        return Optional.ofNullable(startedCalls.get(call)).map(TraceEvent.ToolStarted::at);
    }

    /** Whether the own journal tells that people were asked this. */
    public boolean hasRequestedApproval(UUID approval) {
        return requestedApprovals.contains(approval);
    }

    /** Whether, by the own journal, a call was not to leave before people were asked. */
    public boolean requiredApproval(long call) {
        return heldForApproval.contains(call);
    }

    /** Whether people were asked before a call could leave, and no own earlier run has heard them say yes to what was asked last. */
    public boolean isAwaitingApproval(long call) {
        return awaitingApproval.contains(call);
    }

    /** Whether an own earlier run may have made a call to another backend than the script called. */
    public boolean usedFallback(long call) {
        return fallbackCalls.contains(call);
    }

    /** What was called in the place of the tools that the script called, by the ordinals of its calls. */
    public Map<Long, List<ToolName>> fallbackTools() {
        return Map.copyOf(fallbackTools);
    }

    /** What people decided on a call, as far as own earlier runs have heard. */
    public List<TraceEvent.ApprovalDecided> decisions(long call) {
        return decisionsByCall.getOrDefault(call, List.of());
    }

    /** A call that was made before and not in this run; of a run that has ended, a proof that it took another way. */
    public Optional<String> firstUnmatchedCall() {
        return Stream.concat(
                        startedCalls.values().stream(),
                        recording.sameScript() ? recording.startedCalls().values().stream() : Stream.empty())
                .filter(start -> !madeCalls.contains(start.call()))
                .min(Comparator.comparingLong(TraceEvent.ToolStarted::call))
                .map(start -> "call " + start.call() + " was " + start.tool() + ", and now is not made");
    }

    /** From shortly before the place where the arguments differ. */
    private static String excerpt(ToolName tool, Json arguments, Json others) {
        String text = arguments.text();
        int same = 0;
        while (same < Math.min(text.length(), others.text().length())
                && text.charAt(same) == others.text().charAt(same)) {
            same++;
        }
        int start = same < MAX_SHOWN_LENGTH / 2 ? 0 : same - MAX_SHOWN_LENGTH / 4;
        int end = Math.min(text.length(), start + MAX_SHOWN_LENGTH);
        return tool + " " + (start > 0 ? "…" : "") + text.substring(start, end) + (end < text.length() ? "…" : "");
    }
}
