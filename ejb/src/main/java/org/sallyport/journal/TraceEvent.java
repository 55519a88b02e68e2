package org.sallyport.journal;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalState;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolName;

/** One interaction between a script and its environment, recorded at the tool bridge. */
public sealed interface TraceEvent {

    /** Returns the sequence number in the execution's trace, from 1, without gaps. */
    long seq();

    /** Returns when it happened. */
    Instant at();

    /**
     * The script made a call, which was authorized or refused; its {@link ToolEnded} follows in either case.
     *
     * @param call ordinal of the call
     * @param tool the called tool
     * @param arguments the arguments of the call
     * @param replayed whether a re-run replays the call from the original's journal
     */
    record ToolStarted(long seq, Instant at, long call, ToolName tool, Json arguments, boolean replayed)
            implements TraceEvent {
        /** Creates the event of a call that is not replayed. */
        public ToolStarted(long seq, Instant at, long call, ToolName tool, Json arguments) {
            this(seq, at, call, tool, arguments, false);
        }
    }

    /**
     * A call ended.
     *
     * @param call ordinal of the call
     * @param tool the called tool
     * @param durationMillis time from the script's call to the reply, in milliseconds
     * @param queueMillis the part of it spent waiting for a connector, in milliseconds
     * @param result the result, on success
     * @param error the error, on failure
     * @param replayed whether a re-run replays the reply from the original's journal; the times are then the original
     *     ones
     * @param attempts how often the call was sent to a backend, 1 where attempts are not counted; the script sees one
     *     call
     * @param connectorReport the report of the connector that took the call; empty when none did
     */
    record ToolEnded(
            long seq,
            Instant at,
            long call,
            ToolName tool,
            long durationMillis,
            long queueMillis,
            Optional<Json> result,
            Optional<ToolError> error,
            boolean replayed,
            int attempts,
            Optional<ConnectorReport> connectorReport)
            implements TraceEvent {
        /** Creates the event without a connector report. */
        public ToolEnded(
                long seq,
                Instant at,
                long call,
                ToolName tool,
                long durationMillis,
                long queueMillis,
                Optional<Json> result,
                Optional<ToolError> error,
                boolean replayed,
                int attempts) {
            this(seq, at, call, tool, durationMillis, queueMillis, result, error, replayed, attempts, Optional.empty());
        }

        /** Creates the event of a call that was sent once and is not replayed. */
        public ToolEnded(
                long seq,
                Instant at,
                long call,
                ToolName tool,
                long durationMillis,
                long queueMillis,
                Optional<Json> result,
                Optional<ToolError> error) {
            this(seq, at, call, tool, durationMillis, queueMillis, result, error, false, 1);
        }

        /** Returns the event as a re-run replays it. */
        public ToolEnded asReplayed(long newSeq, Instant now) {
            return new ToolEnded(
                    newSeq,
                    now,
                    call,
                    tool,
                    durationMillis,
                    queueMillis,
                    result,
                    error,
                    true,
                    attempts,
                    connectorReport);
        }
    }

    /**
     * Further input of the script, such as times, so that the next attempt receives the same input. Not part of the
     * public trace.
     *
     * @param replayLog times and timers, in the sandbox's format
     */
    record ReplayLogRecorded(long seq, Instant at, String replayLog) implements TraceEvent {}

    /**
     * A policy rule decided on a call.
     *
     * @param call ordinal of the call
     * @param tool the called tool; with {@link #FALLBACK} the tool that is called in its place
     * @param rule the rule's name; with {@link #SHARED} the call whose reply is shared, {@code <execution>/<ordinal>}
     * @param decision {@code allow}, {@code deny}, {@code ask}; {@code mock}: the call gets a mocked reply and is not
     *     made, also after an approval request without success; {@code fallback}: allowed, because the called backend
     *     was unreachable; or {@code shared}
     */
    record PolicyDecided(long seq, Instant at, long call, ToolName tool, String rule, String decision)
            implements TraceEvent {
        /** The decision to call another tool in place of the called one. */
        public static final String FALLBACK = "fallback";
        /** The decision to answer the call without making it. */
        public static final String MOCK = "mock";
        /** The call was not sent: another call of its batch had made the same request. */
        public static final String SHARED = "shared";
    }

    /**
     * The call needs an approval, which was requested.
     *
     * @param call ordinal of the call
     * @param tool the called tool
     * @param approval id of the approval
     * @param kind the reason for the approval
     */
    record ApprovalRequested(long seq, Instant at, long call, ToolName tool, UUID approval, ApprovalKind kind)
            implements TraceEvent {}

    /**
     * An approval was decided, and the run has received the decision.
     *
     * @param call ordinal of the call
     * @param tool the called tool
     * @param approval id of the approval
     * @param kind the reason for the approval
     * @param state the decision
     * @param decidedBy id of the API key that decided; empty when the approval expired
     * @param note the approver's reason, in his own words
     * @param editedArguments the arguments that replace those of the call
     */
    record ApprovalDecided(
            long seq,
            Instant at,
            long call,
            ToolName tool,
            UUID approval,
            ApprovalKind kind,
            ApprovalState state,
            String decidedBy,
            String note,
            Optional<Json> editedArguments)
            implements TraceEvent {}

    /**
     * The execution was not run; it received the cached result of another.
     *
     * @param from the other execution
     */
    record CachedResultUsed(long seq, Instant at, ExecutionId from) implements TraceEvent {}

    /**
     * The execution changed state.
     *
     * @param state the new state
     * @param attempt the attempt that wrote it
     */
    record StateChanged(long seq, Instant at, ExecutionState state, int attempt) implements TraceEvent {}
}
