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

/** One thing that happened between a script and the world, taken at the bridge. */
public sealed interface TraceEvent {

    /** Its place in the execution's trace, from 1, without gaps. */
    long seq();

    /** When it happened. */
    Instant at();

    /**
     * A call passed the door or was refused there; its {@link ToolEnded} follows in either case.
     *
     * @param call ordinal of the call
     * @param tool what was called
     * @param arguments with what
     * @param replayed whether a re-run repeats it from another execution's recording
     */
    record ToolStarted(long seq, Instant at, long call, ToolName tool, Json arguments, boolean replayed)
            implements TraceEvent {
        /** One that was made. */
        public ToolStarted(long seq, Instant at, long call, ToolName tool, Json arguments) {
            this(seq, at, call, tool, arguments, false);
        }
    }

    /**
     * A call ended.
     *
     * @param call ordinal of the call
     * @param tool what was called
     * @param durationMillis from the script's call to the answer, in milliseconds
     * @param queueMillis of that, waiting for a connector
     * @param result what it gave, when it succeeded
     * @param error why it failed, when it did
     * @param replayed whether a re-run repeats it from another execution's recording; then the times are those of then
     * @param attempts how often it was sent to a backend, 1 where nobody counts; the script knows of one
     * @param connectorReport what the connector that took it tells; empty when none did
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
        /** Of a call of which no connector tells anything. */
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

        /** The same, of a call that was made once. */
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

        /** The same, as a re-run repeats it. */
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
     * What else the script heard, so that a second run hears the same. Not for people.
     *
     * @param replayLog times and timers, as the sandbox told them
     */
    record ReplayLogRecorded(long seq, Instant at, String replayLog) implements TraceEvent {}

    /**
     * A rule of the policy decided on a call.
     *
     * @param call ordinal of the call
     * @param tool what was called; with {@link #FALLBACK} what is called in the place of that
     * @param rule the rule's name; with {@link #SHARED} the call whose answer it is given, {@code <execution>/<ordinal>}
     * @param decision {@code allow}, {@code deny}, {@code ask}; {@code mock}: it is answered without being made, also where people were asked
     *     in vain; {@code fallback}: it is allowed, since the backend that was called could not be; or {@code shared}
     */
    record PolicyDecided(long seq, Instant at, long call, ToolName tool, String rule, String decision)
            implements TraceEvent {
        /** The decision that another tool is called in the place of the one that was. */
        public static final String FALLBACK = "fallback";
        /** It is answered without being made. */
        public static final String MOCK = "mock";
        /** It was not sent: another call of its batch had asked the same. */
        public static final String SHARED = "shared";
    }

    /**
     * People are asked before a call goes on.
     *
     * @param call ordinal of the call
     * @param tool what was called
     * @param approval what they are asked
     * @param kind why
     */
    record ApprovalRequested(long seq, Instant at, long call, ToolName tool, UUID approval, ApprovalKind kind)
            implements TraceEvent {}

    /**
     * People have decided on a call, and the run has heard it.
     *
     * @param call ordinal of the call
     * @param tool what was called
     * @param approval what they were asked
     * @param kind why
     * @param state what they decided
     * @param decidedBy id of the key that decided, empty when the time did
     * @param note why, in the person's words
     * @param editedArguments the arguments that the call is made with in place of its own
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
     * The execution was not run: it was given the answer of another.
     *
     * @param from the other
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
