package org.sallyport.telemetry;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.sallyport.journal.TraceEvent;
import org.sallyport.otlp.FinishedSpan;
import org.sallyport.sandbox.HostServices;
import org.sallyport.secret.RedactedResult;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** What the span of a call says of it: nothing that it was given or that it gave, unless that is wanted. */
final class CallAttributes {
    private static final int LONGEST_VALUE = 4_096;
    private static final int LONGEST_NAME = 200;

    private final String execution;
    private final Redaction redaction;
    private final boolean values;

    /**
     * @param redaction what must not be seen of the tenant's
     * @param values whether arguments and results are told
     */
    CallAttributes(String execution, Redaction redaction, boolean values) {
        this.execution = execution;
        this.redaction = redaction;
        this.values = values;
    }

    /** Of a call that begins; more is added as it becomes known. */
    Map<String, Object> of(TraceEvent.ToolStarted started) {
        Map<String, Object> attributes = new HashMap<>();
        attributes.put("sallyport.call.id", execution + "/" + started.call());
        attributes.put("sallyport.call.ordinal", started.call());
        attributes.put("sallyport.backend", shown(started.tool().backend()));
        attributes.put("sallyport.tool", name(started.tool()));
        if (started.replayed()) {
            attributes.put("sallyport.replayed", true);
        }
        if (isTold(started.tool())) {
            attributes.put("sallyport.call.arguments", shown(started.arguments()));
        }
        return attributes;
    }

    void add(TraceEvent.Judged judged, Map<String, Object> attributes) {
        if (judged.decision().equals(TraceEvent.Judged.FALLBACK)) {
            // What was called is said already, and by which rule.
            attributes.put("sallyport.fallback.tool", name(judged.tool()));
            return;
        } else if (judged.decision().equals(TraceEvent.Judged.SHARED)) {
            attributes.put("sallyport.shared.from", judged.rule());
            return;
        }
        attributes.put("sallyport.policy.rule", shown(judged.rule()));
        attributes.put("sallyport.policy.decision", judged.decision());
    }

    void add(TraceEvent.ToolEnded ended, Map<String, Object> attributes) {
        attributes.put("sallyport.success", ended.error().isEmpty());
        attributes.put("sallyport.duration_millis", ended.durationMillis());
        attributes.put("sallyport.queue_millis", ended.queueMillis());
        ended.served().ifPresent(served -> {
            attributes.put("sallyport.backend_millis", served.backendMillis());
            served.node().ifPresent(node -> attributes.put("sallyport.connector.node", node));
        });
        if (ended.attempts() > 1) {
            attributes.put("sallyport.call.attempts", (long) ended.attempts());
        }
        ended.error()
                .ifPresent(error -> attributes.put("error.type", error.code().code()));
        if (isTold(ended.tool())) {
            ended.result().ifPresent(result -> attributes.put("sallyport.call.result", shown(result)));
        }
    }

    static Map<String, Object> of(TraceEvent.Asked asked) {
        return Map.of(
                "sallyport.approval.id",
                asked.approval().toString(),
                "sallyport.approval.kind",
                asked.kind().name().toLowerCase(Locale.ROOT));
    }

    static Map<String, Object> of(TraceEvent.Decided decided) {
        return Map.of(
                "sallyport.approval.id",
                decided.approval().toString(),
                "sallyport.approval.kind",
                decided.kind().name().toLowerCase(Locale.ROOT),
                "sallyport.approval.state",
                decided.state().name().toLowerCase(Locale.ROOT),
                "sallyport.approval.by",
                decided.by());
    }

    /** What the host itself answers goes nowhere. */
    static FinishedSpan.Kind kind(ToolName tool) {
        return tool.backend().equals(HostServices.BACKEND) ? FinishedSpan.Kind.INTERNAL : FinishedSpan.Kind.CLIENT;
    }

    /** A script may call what is no tool: the name is its own. */
    String name(ToolName tool) {
        return shown(tool.toString());
    }

    /** What is given to the host itself may be the content of a file. */
    private boolean isTold(ToolName tool) {
        return values && !tool.backend().equals(HostServices.BACKEND);
    }

    private String shown(String name) {
        String clean = redaction.of(name);
        return clean.length() > LONGEST_NAME ? clean.substring(0, LONGEST_NAME) + "…" : clean;
    }

    private String shown(Json value) {
        String clean = RedactedResult.of(value, redaction).text();
        return clean.length() > LONGEST_VALUE ? clean.substring(0, LONGEST_VALUE) + "…" : clean;
    }
}
