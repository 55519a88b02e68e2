package org.sallyport.tool;

import java.time.Instant;
import java.util.Optional;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * One call to a backend.
 *
 * @param id its stable id
 * @param tenant the tenant of the calling execution
 * @param tool the called tool
 * @param arguments exactly the JSON text that the script sent and that was authorized
 * @param deadline when the caller stops waiting
 * @param trace the trace context, if any
 */
public record ToolCall(
        CallId id, String tenant, ToolName tool, Json arguments, Instant deadline, Optional<TraceHeaders> trace) {

    /** Creates a call without a trace context. */
    public ToolCall(CallId id, String tenant, ToolName tool, Json arguments, Instant deadline) {
        this(id, tenant, tool, arguments, deadline, Optional.empty());
    }

    /** Returns a copy with the deadline {@code then}. */
    public ToolCall withDeadline(Instant then) {
        return new ToolCall(id, tenant, tool, arguments, then, trace);
    }

    /** Returns a copy with a trace context. */
    public ToolCall withTrace(Optional<TraceHeaders> headers) {
        return new ToolCall(id, tenant, tool, arguments, deadline, headers);
    }
}
