package org.sallyport.connector;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.secret.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolResult;
import org.sallyport.tracecontext.TraceHeaders;

/** The connection to one backend. Thread-safe. */
public interface BackendConnection extends AutoCloseable {

    /**
     * One call.
     *
     * @param id its stable name
     * @param tool the name that the backend's server knows
     * @param arguments a JSON object
     * @param repeatable whether it may be sent twice
     * @param tenant on whose behalf
     * @param deadline when nobody waits for it any more
     * @param trace in which trace it is made, if there is one
     * @param onAcknowledged run by a connection that learns that whoever makes the call has it: what becomes of it then says nothing of whether it is there
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

        /** One of which nobody minds who has it. */
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

        /** One outside of any trace. */
        public BackendRequest(
                CallId id, String tool, Json arguments, boolean repeatable, String tenant, Instant deadline) {
            this(id, tool, arguments, repeatable, tenant, deadline, Optional.empty());
        }
    }

    /** Hears what becomes of the backend. */
    interface ConnectionListener {
        /** The backend has come into that state, or has something new to say of it; never waits. */
        void onStateChanged(BackendStatus.BackendState state, Optional<String> error);

        /** These are the backend's tools now; may wait for the database, and throws when that is away. */
        void onToolsDeclared(List<ToolDefinition> tools);
    }

    /** Begins to connect, and goes on until {@link #close()}. */
    void start();

    /** Makes a call; never waits on the calling thread for the answer. */
    CompletionStage<ToolResult> call(BackendRequest call);

    /** Nobody waits for this call any more. */
    void cancel(CallId call);

    /** What the last sign of life of a call said, to be told with its timeout. */
    default Optional<String> lastProgress(CallId call) {
        return Optional.empty();
    }

    /** Messages from it that nobody asked for, or that said nothing, and so were dropped. */
    default long droppedMessages() {
        return 0;
    }

    /** What must not be seen in an answer. */
    default Redactor redactor() {
        return Redactor.NONE;
    }

    /** Ends it at once; open calls fail. */
    @Override
    void close();
}
