package org.sallyport.tool;

import java.time.Instant;
import java.util.Optional;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * One call on its way to a backend.
 *
 * @param id its stable name
 * @param tenant whose execution calls
 * @param tool which tool
 * @param arguments exactly the JSON text that the script sent and that the checks saw
 * @param deadline when the caller stops waiting
 * @param trace in which trace it is made, if there is one
 */
public record ToolCall(
        CallId id, String tenant, ToolName tool, Json arguments, Instant deadline, Optional<TraceHeaders> trace) {

    /** One outside of any trace. */
    public ToolCall(CallId id, String tenant, ToolName tool, Json arguments, Instant deadline) {
        this(id, tenant, tool, arguments, deadline, Optional.empty());
    }

    /** The same, whose caller waits until {@code then}. */
    public ToolCall withDeadline(Instant then) {
        return new ToolCall(id, tenant, tool, arguments, then, trace);
    }

    /** The same in a trace. */
    public ToolCall withTrace(Optional<TraceHeaders> headers) {
        return new ToolCall(id, tenant, tool, arguments, deadline, headers);
    }
}
