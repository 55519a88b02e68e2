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
 * Replays the journal of an execution's earlier attempts: matches the calls of this attempt by ordinal, tool and
 * arguments, and returns the replies in the order in which the script received them. A re-run continues with the
 * {@link RecordedExecution} of another execution where its own journal ends. Not thread-safe.
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
    /** Calls of {@code heldForApproval} without an approval since then. */
    private final Set<Long> awaitingApproval = new HashSet<>();

    private final Map<Long, List<TraceEvent.ApprovalDecided>> decisionsByCall = new HashMap<>();
    /** Calls for which an own attempt used a fallback tool. */
    private final Set<Long> fallbackCalls = new HashSet<>();

    private final Map<Long, List<ToolName>> fallbackTools = new HashMap<>();
    private final long replyCount;
    /** Whether an edited script has diverged from the recording. */
    private boolean leftRecording;

    /**
     * How a call matches the journal and the recording. {@code journaled} says whether the execution's own journal
     * contains the call.
     */
    public sealed interface CallMatch {
        /** The call was not made before. */
        record NewCall() implements CallMatch {}

        /** The call has a reply, which {@link #nextReply} returns in its order. */
        record AnsweredCall(boolean journaled) implements CallMatch {}

        /** An edited script makes a call of the recording; its reply is delivered immediately. */
        record RepeatedCall(TraceEvent.ToolEnded answer, boolean journaled) implements CallMatch {}

        /** The call was made before, and its reply is unknown. */
        record UnansweredCall(boolean journaled) implements CallMatch {}

        /** The call may not be made for real, and the recording has no reply. */
        record UnrecordedCall(boolean journaled) implements CallMatch {}

        /**
         * The journal or the recording has a different call at this ordinal.
         *
         * @param message describes both calls and where they differ
         */
        record DivergedCall(String message) implements CallMatch {}
    }

    /**
     * A reply that is due.
     *
     * @param journaled whether the execution's own journal contains the reply
     */
    public record DueReply(TraceEvent.ToolEnded answer, boolean journaled) {}

    /** @param own all stored entries of the earlier attempts, in order; empty for a first attempt */
    public JournalReplay(List<TraceEvent> own) {
        this(own, RecordedExecution.NONE);
    }

    /**
     * Creates the replay of a re-run.
     *
     * @param own all stored entries of the earlier attempts, in order; empty for a first attempt
     * @param recording the part of the original execution that is replayed
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
                // A mocked call stays held for approval.
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
            // Replies that own attempts have replayed are already at the head of the own replies, in the same order.
            recording.endedCalls().stream()
                    .filter(answer -> answeredCalls.add(answer.call()))
                    .forEach(pendingReplies::add);
        }
        replyCount = pendingReplies.size();
    }

    /** Returns the times and timers that the script received in its own earlier attempts. */
    public String replayLog() {
        return replayLog.toString();
    }

    /** Returns the number of replies to replay in order. */
    public long replyCount() {
        return replyCount;
    }

    /**
     * Returns whether the journal or, for a call of no own attempt, the recording omits the arguments of the call
     * because it had no room for them.
     */
    public boolean omitsArguments(long call, Json arguments) {
        TraceEvent.ToolStarted own = startedCalls.get(call);
        TraceEvent.ToolStarted before =
                own == null ? recording.startedCalls().get(call) : own;
        return before != null && OmittedArguments.standFor(before.arguments(), arguments);
    }

    /** Matches a call that the script makes; {@code arguments} are in the form of the trace. */
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

    /** Matches a call that no own attempt has made. */
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
        return !before.tool().equals(tool)
                || !before.arguments().equals(arguments)
                        && !OmittedArguments.standFor(before.arguments(), arguments)
                        && !OmittedArguments.standFor(arguments, before.arguments());
    }

    private static CallMatch divergedCall(TraceEvent.ToolStarted before, ToolName tool, Json arguments) {
        return new CallMatch.DivergedCall(
                "call " + before.call() + " was " + excerpt(before.tool(), before.arguments(), arguments)
                        + ", and now is " + excerpt(tool, arguments, before.arguments()));
    }

    /** Returns the next reply if the script has made its call; each reply is returned once. */
    public Optional<DueReply> nextReply() {
        TraceEvent.ToolEnded first = pendingReplies.peek();
        return first != null && madeCalls.contains(first.call())
                ? Optional.of(new DueReply(pendingReplies.remove(), endedInJournal.contains(first.call())))
                : Optional.empty();
    }

    /** Returns whether every reply was returned; later replies are new. */
    public boolean isComplete() {
        return pendingReplies.isEmpty();
    }

    /** Returns whether an own earlier attempt has made a call of that tool for real. */
    public boolean hasCalled(ToolName tool) {
        return startedCalls.values().stream()
                .anyMatch(start -> !start.replayed() && start.tool().equals(tool));
    }

    /** Returns when an own earlier attempt made the call; empty when none did. */
    public Optional<Instant> calledAt(long call) {
        return Optional.ofNullable(startedCalls.get(call)).map(TraceEvent.ToolStarted::at);
    }

    /** Returns whether the own journal contains this approval request. */
    public boolean hasRequestedApproval(UUID approval) {
        return requestedApprovals.contains(approval);
    }

    /** Returns whether, by the own journal, the call needed an approval before it was sent. */
    public boolean requiredApproval(long call) {
        return heldForApproval.contains(call);
    }

    /**
     * Returns whether the call needed an approval and no own earlier attempt has received one for the latest request.
     */
    public boolean isAwaitingApproval(long call) {
        return awaitingApproval.contains(call);
    }

    /** Returns whether an own earlier attempt may have sent the call to a fallback tool. */
    public boolean usedFallback(long call) {
        return fallbackCalls.contains(call);
    }

    /** Returns the fallback tools that were called in place of the script's tools, by the ordinals of its calls. */
    public Map<Long, List<ToolName>> fallbackTools() {
        return Map.copyOf(fallbackTools);
    }

    /** Returns the approval decisions on a call that own earlier attempts have received. */
    public List<TraceEvent.ApprovalDecided> decisions(long call) {
        return decisionsByCall.getOrDefault(call, List.of());
    }

    /**
     * Describes the first call that was made before and not in this attempt. Once this attempt has ended, such a call
     * proves divergence.
     */
    public Optional<String> firstUnmatchedCall() {
        return Stream.concat(
                        startedCalls.values().stream(),
                        recording.sameScript() ? recording.startedCalls().values().stream() : Stream.empty())
                .filter(start -> !madeCalls.contains(start.call()))
                .min(Comparator.comparingLong(TraceEvent.ToolStarted::call))
                .map(start -> "call " + start.call() + " was " + start.tool() + ", and now is not made");
    }

    /** Starts shortly before the position where the arguments differ. */
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
