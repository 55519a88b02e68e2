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
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sallyport.approval.ApprovalState;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * Replays the journal of an execution's earlier attempts: matches the calls of this attempt by ordinal, tool and
 * arguments, and returns the replies in the order in which the script received them. A re-run continues with the
 * {@link RecordedExecution} of another execution where its own journal ends. Not thread-safe.
 */
public final class JournalReplay {
    private static final int MAX_SHOWN_LENGTH = RecordedArguments.MAX_HEAD_LENGTH;

    private final RecordedExecution recording;
    private final Map<Long, RecordedCall> startedCalls = new HashMap<>();
    private final Map<ToolName, ToolName> toolNames = new HashMap<>();
    private final Set<Long> endedInJournal = new HashSet<>();
    private final Set<Long> answeredCalls = new HashSet<>();
    private final Deque<ReplyPosition> pendingReplies = new ArrayDeque<>();
    private final Map<ReplyPosition, TraceEvent.ToolEnded> loadedReplies = new HashMap<>();
    /** The calls of this attempt that were made before. */
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
    private boolean started;
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

        /** An edited script makes a call of the recording; its reply is delivered in no particular order. */
        record RepeatedCall(ReplyPosition answer, boolean journaled) implements CallMatch {}

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

    /**
     * @param own the execution
     * @param entries passes all stored entries of the earlier attempts, in order, to its argument; none for a first
     *     attempt
     * @param recording the part of the original execution that a re-run replays
     */
    public JournalReplay(ExecutionId own, Consumer<Consumer<TraceEvent>> entries, RecordedExecution recording) {
        this.recording = recording;
        ReplyWindow firstReplies = new ReplyWindow();
        entries.accept(event -> {
            if (event instanceof TraceEvent.ToolEnded ended) {
                ReplyPosition position = ReplyPosition.of(own, ended);
                pendingReplies.add(position);
                endedInJournal.add(ended.call());
                firstReplies.offer(position, ended);
            }
            addEntry(event);
        });
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
        loadedReplies.putAll(recording.firstReplies());
        loadedReplies.keySet().removeIf(position -> endedInJournal.contains(position.call()));
        loadedReplies.putAll(firstReplies.replies());
        replyCount = pendingReplies.size();
    }

    private void addEntry(TraceEvent event) {
        if (event instanceof TraceEvent.ToolStarted call) {
            RecordedCall own = RecordedCall.of(call, toolNames);
            startedCalls.put(own.call(), own);
            RecordedCall then = recording.startedCalls().get(own.call());
            leftRecording |= !own.replayed() && then != null && then.differsFrom(own.tool(), own.arguments());
        } else if (event instanceof TraceEvent.StateChanged changed && changed.state() == ExecutionState.RUNNING) {
            started = true;
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

    /**
     * Returns whether an earlier attempt has written to the journal. The first write contains the replay log that the
     * attempt starts from, together with the state change.
     */
    public boolean hasStarted() {
        return started;
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
        RecordedCall before = findCall(call);
        return before != null && before.arguments().standsFor(RecordedArguments.of(arguments));
    }

    private @Nullable RecordedCall findCall(long call) {
        RecordedCall own = startedCalls.get(call);
        return own == null ? recording.startedCalls().get(call) : own;
    }

    /** Returns the tool of a call that was made before; empty when none was. */
    public Optional<ToolName> findTool(long call) {
        return Optional.ofNullable(findCall(call)).map(RecordedCall::tool);
    }

    /** Matches a call that the script makes; {@code arguments} are in the form of the trace. */
    public CallMatch matchCall(long call, ToolName tool, Json arguments) {
        if (findCall(call) != null || answeredCalls.contains(call)) {
            madeCalls.add(call);
        }
        RecordedCall before = startedCalls.get(call);
        if (before == null) {
            return matchRecordedCall(call, tool, arguments);
        } else if (before.differsFrom(tool, arguments)) {
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
        RecordedCall then = leftRecording ? null : recording.startedCalls().get(call);
        if (then != null && then.differsFrom(tool, arguments)) {
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

    private static CallMatch divergedCall(RecordedCall before, ToolName tool, Json arguments) {
        RecordedArguments now = RecordedArguments.of(arguments);
        return new CallMatch.DivergedCall(
                "call " + before.call() + " was " + excerpt(before.tool(), before.arguments(), now) + ", and now is "
                        + excerpt(tool, now, before.arguments()));
    }

    /** Returns whether there is a next reply and the script has made its call. */
    public boolean isReplyDue() {
        ReplyPosition first = pendingReplies.peek();
        return first != null && madeCalls.contains(first.call());
    }

    /**
     * Returns the next reply if it is due; each reply is returned once. Empty as well if the reply is not in memory:
     * the caller then reads {@link #missingReplies()}.
     */
    public Optional<DueReply> nextReply() {
        Optional<TraceEvent.ToolEnded> next = isReplyDue() ? takeReply(pendingReplies.element()) : Optional.empty();
        return next.map(answer -> {
            pendingReplies.remove();
            return new DueReply(answer, endedInJournal.contains(answer.call()));
        });
    }

    /** Returns the reply if it is in memory, and removes it from memory. */
    public Optional<TraceEvent.ToolEnded> takeReply(ReplyPosition position) {
        return Optional.ofNullable(loadedReplies.remove(position));
    }

    /** Returns the positions of the next replies, from one journal, for {@link ReplyWindow#read}. */
    public List<ReplyPosition> missingReplies() {
        return pendingReplies.stream()
                .takeWhile(reply ->
                        reply.execution().equals(pendingReplies.element().execution()))
                .toList();
    }

    /** Adds replies that were read. */
    public void addReplies(Map<ReplyPosition, TraceEvent.ToolEnded> read) {
        loadedReplies.putAll(read);
    }

    /** Returns whether the script gets a recorded reply to the call, if it makes the same call again. */
    public boolean isAnswered(long call) {
        return answeredCalls.contains(call);
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
        return Optional.ofNullable(startedCalls.get(call)).map(RecordedCall::at);
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
                .min(Comparator.comparingLong(RecordedCall::call))
                .map(start -> "call " + start.call() + " was " + start.tool() + ", and now is not made");
    }

    /** Starts shortly before the position where the arguments differ. */
    private static String excerpt(ToolName tool, RecordedArguments arguments, RecordedArguments others) {
        String text = arguments.head();
        int same = 0;
        while (same < Math.min(text.length(), others.head().length())
                && text.charAt(same) == others.head().charAt(same)) {
            same++;
        }
        int start = same < MAX_SHOWN_LENGTH / 2 ? 0 : same - MAX_SHOWN_LENGTH / 4;
        return tool + " " + (start > 0 ? "…" : "") + text.substring(start)
                + (arguments.isComplete() ? "" : "… (" + arguments.length() + " characters)");
    }
}
