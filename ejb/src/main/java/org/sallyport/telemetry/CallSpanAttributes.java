package org.sallyport.telemetry;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.sallyport.journal.TraceEvent;
import org.sallyport.otlp.FinishedSpan;
import org.sallyport.redaction.Redactor;
import org.sallyport.redaction.ToolResultRedactor;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Attributes of the span of a call. Includes arguments and results only when that is enabled. */
final class CallSpanAttributes {
    private static final int MAX_VALUE_LENGTH = 4_096;
    private static final int MAX_NAME_LENGTH = 200;

    private final String execution;
    private final Redactor redactor;
    private final boolean captureValues;

    /**
     * @param redaction redactor of the tenant
     * @param values whether to include arguments and results
     */
    CallSpanAttributes(String execution, Redactor redaction, boolean values) {
        this.execution = execution;
        this.redactor = redaction;
        this.captureValues = values;
    }

    /** Returns the attributes at the start of a call; later events add more. */
    Map<String, Object> attributesOf(TraceEvent.ToolStarted started) {
        Map<String, Object> attributes = new HashMap<>();
        attributes.put("sallyport.call.id", execution + "/" + started.call());
        attributes.put("sallyport.call.ordinal", started.call());
        attributes.put("sallyport.backend", redactAndTruncate(started.tool().backend()));
        attributes.put("sallyport.tool", spanName(started.tool()));
        if (started.replayed()) {
            attributes.put("sallyport.replayed", true);
        }
        if (capturesValues(started.tool())) {
            attributes.put("sallyport.call.arguments", redactAndTruncate(started.arguments()));
        }
        return attributes;
    }

    void add(TraceEvent.PolicyDecided judged, Map<String, Object> attributes) {
        if (judged.decision().equals(TraceEvent.PolicyDecided.FALLBACK)) {
            // The tool and the rule are already set.
            attributes.put("sallyport.fallback.tool", spanName(judged.tool()));
            return;
        } else if (judged.decision().equals(TraceEvent.PolicyDecided.SHARED)) {
            attributes.put("sallyport.shared.from", judged.rule());
            return;
        }
        attributes.put("sallyport.policy.rule", redactAndTruncate(judged.rule()));
        attributes.put("sallyport.policy.decision", judged.decision());
    }

    void add(TraceEvent.ToolEnded ended, Map<String, Object> attributes) {
        attributes.put("sallyport.success", ended.error().isEmpty());
        attributes.put("sallyport.duration_millis", ended.durationMillis());
        attributes.put("sallyport.queue_millis", ended.queueMillis());
        ended.connectorReport().ifPresent(served -> {
            attributes.put("sallyport.backend_millis", served.backendMillis());
            served.node().ifPresent(node -> attributes.put("sallyport.connector.node", node));
        });
        if (ended.attempts() > 1) {
            attributes.put("sallyport.call.attempts", (long) ended.attempts());
        }
        ended.error()
                .ifPresent(error -> attributes.put("error.type", error.code().code()));
        if (capturesValues(ended.tool())) {
            ended.result().ifPresent(result -> attributes.put("sallyport.call.result", redactAndTruncate(result)));
        }
    }

    static Map<String, Object> attributesOf(TraceEvent.ApprovalRequested asked) {
        return Map.of(
                "sallyport.approval.id",
                asked.approval().toString(),
                "sallyport.approval.kind",
                asked.kind().name().toLowerCase(Locale.ROOT));
    }

    static Map<String, Object> attributesOf(TraceEvent.ApprovalDecided decided) {
        return Map.of(
                "sallyport.approval.id",
                decided.approval().toString(),
                "sallyport.approval.kind",
                decided.kind().name().toLowerCase(Locale.ROOT),
                "sallyport.approval.state",
                decided.state().name().toLowerCase(Locale.ROOT),
                "sallyport.approval.by",
                decided.decidedBy());
    }

    /** The host itself answers these calls, so they are not client calls. */
    static FinishedSpan.FinishedSpanKind spanKind(ToolName tool) {
        return tool.backend().equals(HostServices.BACKEND)
                ? FinishedSpan.FinishedSpanKind.INTERNAL
                : FinishedSpan.FinishedSpanKind.CLIENT;
    }

    /** A script may call a name that is not a tool; such a name is text of the script. */
    String spanName(ToolName tool) {
        return redactAndTruncate(tool.toString());
    }

    /** Arguments of calls to the host itself may contain the content of a file. */
    private boolean capturesValues(ToolName tool) {
        return captureValues && !tool.backend().equals(HostServices.BACKEND);
    }

    private String redactAndTruncate(String name) {
        String clean = redactor.redact(name);
        return clean.length() > MAX_NAME_LENGTH ? clean.substring(0, MAX_NAME_LENGTH) + "…" : clean;
    }

    private String redactAndTruncate(Json value) {
        String clean = ToolResultRedactor.redact(value, redactor).text();
        return clean.length() > MAX_VALUE_LENGTH ? clean.substring(0, MAX_VALUE_LENGTH) + "…" : clean;
    }
}
