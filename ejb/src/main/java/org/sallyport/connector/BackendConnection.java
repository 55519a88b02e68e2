package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolResult;
import org.sallyport.tracecontext.TraceHeaders;

/** The connection to one backend. Thread-safe. */
public interface BackendConnection extends AutoCloseable {
    /** How long a report on a withdrawn call is awaited. The caller of the call still accepts it afterwards. */
    Duration WITHDRAWAL_TIMEOUT = ToolReplyMessage.REPORT_GRACE.minusSeconds(1);

    /**
     * One call to a backend.
     *
     * @param id id of the call, stable across attempts
     * @param tool name of the tool on the backend's server
     * @param arguments a JSON object
     * @param repeatable whether the call may be sent twice
     * @param tenant the tenant that the call is made for
     * @param deadline when the caller stops waiting
     * @param trace trace context of the call, if there is one
     * @param onAcknowledged run by a connection when it learns that the remote side has the call; a later failure of
     *     the call is then no evidence that the backend is unreachable
     */
    record BackendRequest(
            CallId id,
            String tool,
            Json arguments,
            boolean repeatable,
            String tenant,
            Instant deadline,
            Optional<TraceHeaders> trace,
            Runnable onAcknowledged) {

        /** Creates a request without an acknowledgement callback. */
        public BackendRequest(
                CallId id,
                String tool,
                Json arguments,
                boolean repeatable,
                String tenant,
                Instant deadline,
                Optional<TraceHeaders> trace) {
            this(id, tool, arguments, repeatable, tenant, deadline, trace, () -> {});
        }

        /** Creates a request without trace and acknowledgement callback. */
        public BackendRequest(
                CallId id, String tool, Json arguments, boolean repeatable, String tenant, Instant deadline) {
            this(id, tool, arguments, repeatable, tenant, deadline, Optional.empty());
        }
    }

    /** Receives changes of the backend's state and tools. */
    interface ConnectionListener {
        /** The backend entered {@code state}, or its error text changed. Must not block. */
        void onStateChanged(BackendStatus.BackendState state, Optional<String> error);

        /** The server declared its current tools. May block on the database; throws if the database is unavailable. */
        void onToolsDeclared(List<ToolDefinition> tools);
    }

    /** Starts to connect, and reconnects until {@link #close()}. */
    void start();

    /** Sends a call. Never blocks the calling thread for the answer. */
    CompletionStage<ToolResult> call(BackendRequest call);

    /** Cancels a call, because its caller no longer waits for it. */
    void cancel(CallId call);

    /**
     * Cancels a call that was not answered in time, like {@link #cancel}, and reports whether it can have an effect.
     * The report is awaited for {@link #WITHDRAWAL_TIMEOUT}. An answer to the call that comes before the report still
     * counts.
     *
     * @return completes with whether the call certainly has no effect, because it was not begun or was undone; with
     *     false if that is not known, or the call has ended
     */
    default CompletionStage<Boolean> withdraw(CallId call) {
        cancel(call);
        return CompletableFuture.completedStage(false);
    }

    /** Text of the last progress message of a call, which is added to its timeout error; empty if there was none. */
    default Optional<String> lastProgress(CallId call) {
        return Optional.empty();
    }

    /** Number of messages from the backend that were dropped because they were unsolicited or invalid. */
    default long droppedMessages() {
        return 0;
    }

    /** Redactor of the secrets that must not appear in results. */
    default Redactor redactor() {
        return Redactor.NONE;
    }

    /** Closes the connection immediately; open calls fail. */
    @Override
    void close();
}
