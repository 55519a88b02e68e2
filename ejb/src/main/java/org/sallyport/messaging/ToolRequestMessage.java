package org.sallyport.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Optional;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolName;
import org.sallyport.tracecontext.TraceHeaders;

/**
 * A tool call for a connector. The correlation id, the reply queue and the trace are headers; the message expires at
 * the call's deadline.
 *
 * @param call the call
 * @param sentAt when the bridge sent it
 * @param leaseMillis how long after {@code sentAt} the sending node certainly holds its lease; {@link #NO_LEASE} for a
 *     request that may arrive at any time
 */
public record ToolRequestMessage(ToolCall call, Instant sentAt, long leaseMillis) {
    /** The lease of a request that does not depend on the lease of its sender. */
    public static final long NO_LEASE = Long.MAX_VALUE;

    private static final String LEASE_MILLIS = "leaseMillis";

    /** Creates a request that may arrive at any time. */
    public ToolRequestMessage(ToolCall call, Instant sentAt) {
        this(call, sentAt, NO_LEASE);
    }

    /**
     * Encodes version 1:
     * {@code {"v":1,"call","tenant","backend","tool","arguments","deadline","sentAt"[,"leaseMillis"]}}.
     * {@code arguments} is JSON text inside a string, so that the connector receives exactly the characters that were
     * validated. Times are milliseconds since 1970. {@code leaseMillis} is missing if there is no lease.
     */
    public String encode() {
        ObjectNode json = MessageJson.newMessage();
        json.put("call", call.id().toString());
        json.put("tenant", call.tenant());
        json.put("backend", call.tool().backend());
        json.put("tool", call.tool().tool());
        json.put("arguments", call.arguments().text());
        json.put("deadline", call.deadline().toEpochMilli());
        json.put("sentAt", sentAt.toEpochMilli());
        if (leaseMillis != NO_LEASE) {
            json.put(LEASE_MILLIS, leaseMillis);
        }
        return json.toString();
    }

    /** Returns a copy with the trace of the message's headers. */
    public ToolRequestMessage withTrace(Optional<TraceHeaders> trace) {
        return new ToolRequestMessage(call.withTrace(trace), sentAt, leaseMillis);
    }

    /** Decodes the output of {@link #encode()}; throws {@link MalformedMessageException} for any other text. */
    public static ToolRequestMessage decode(String text) {
        JsonNode json = MessageJson.parse(text);
        try {
            ToolCall call = new ToolCall(
                    CallId.parse(MessageJson.text(json, "call")),
                    MessageJson.text(json, "tenant"),
                    new ToolName(MessageJson.text(json, "backend"), MessageJson.text(json, "tool")),
                    new Json(MessageJson.text(json, "arguments")),
                    Instant.ofEpochMilli(MessageJson.number(json, "deadline")));
            return new ToolRequestMessage(
                    call,
                    Instant.ofEpochMilli(MessageJson.number(json, "sentAt")),
                    json.has(LEASE_MILLIS) ? MessageJson.number(json, LEASE_MILLIS) : NO_LEASE);
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException("call is not a call id");
        }
    }
}
