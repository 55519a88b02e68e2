package org.sallyport.tool;

import java.time.Instant;

/**
 * One call on its way to a backend.
 *
 * @param id its stable name
 * @param tenant whose execution calls
 * @param tool which tool
 * @param arguments exactly the JSON text that the script sent and that the checks saw
 * @param deadline when the caller stops waiting
 */
public record ToolCall(CallId id, String tenant, ToolName tool, Json arguments, Instant deadline) {}
