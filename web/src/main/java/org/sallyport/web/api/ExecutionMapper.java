package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.ValueNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.sallyport.artifact.Artifact;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.BlockedAttempts;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.journal.TraceEvent;
import org.sallyport.runner.HostCallTrace;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolHints;
import org.sallyport.tracecontext.SpanIdGenerator;

/** Maps executions and related objects to JSON. Clients rely on the member names. */
final class ExecutionMapper {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private ExecutionMapper() {}

    static ObjectNode object() {
        return NODES.objectNode();
    }

    /**
     * Maps one execution.
     *
     * @param output its output after the requested offsets
     * @param queuePosition its position in the queue while it waits for a runner
     */
    static ObjectNode execution(Execution execution, ExecutionOutput output, OptionalLong queuePosition) {
        ObjectNode json = summary(execution.summary());
        json.set("args", raw(execution.args()));
        execution.result().ifPresent(result -> json.set("result", raw(result)));
        execution.error().ifPresent(error -> json.set("error", error(error)));
        output(execution, output, json);
        if (execution.cancelRequested() && !execution.state().isTerminal()) {
            json.put("cancelRequested", true);
        }
        cancellation(execution).ifPresent(shown -> json.set("cancellation", shown));
        execution
                .progress()
                .ifPresent(progress -> json.putObject("progress")
                        .put("fraction", progress.permille() / 1_000.0)
                        .put("text", progress.text()));
        execution
                .suspension()
                .ifPresent(pause -> json.putObject("waitingFor")
                        .put("reason", pause.reason())
                        .put("since", pause.since().toString())
                        .put("until", pause.until().toString()));
        execution.admission().notBefore().ifPresent(moment -> json.put("notBefore", moment.toString()));
        execution.admission().deadline().ifPresent(moment -> json.put("deadline", moment.toString()));
        execution.admission().concurrencyKey().ifPresent(key -> json.put("concurrencyKey", key));
        RetryMapper.retry(execution).ifPresent(retry -> json.set("retry", retry));
        queuePosition.ifPresent(position -> json.put("queuePosition", position));
        ObjectNode limits = json.putObject("limits");
        limits.put("wallMillis", execution.limits().wallMillis());
        limits.put("cpuMillis", execution.limits().cpuMillis());
        limits.put("heapBytes", execution.limits().heapBytes());
        limits.put("toolCalls", execution.limits().toolCalls());
        limits.put("outputChars", execution.limits().outputChars());
        execution.limits().cost().ifPresent(maxCost -> limits.put("cost", maxCost.amount()));
        execution.limits().additional().forEach((limit, value) -> limits.put(limit.member(), value));
        execution.cost().ifPresent(cost -> json.put("cost", cost.amount()));
        execution.grants().forEach(json.withArray("grants")::add);
        execution.intent().ifPresent(intent -> json.put("intent", intent));
        json.put("durability", execution.durability().text());
        execution
                .trace()
                .ifPresent(trace -> json.put("traceId", trace.traceId())
                        .put(
                                "traceparent",
                                trace.traceparent(SpanIdGenerator.executionSpanId(
                                        execution.id().value()))));
        execution.savedScriptName().ifPresent(script -> json.put("cached", script));
        execution.cachedFrom().ifPresent(first -> json.put("cachedFrom", first.toString()));
        if (execution.effects() instanceof EffectMode.DryRun) {
            json.put("dryRun", true);
        } else if (execution.effects() instanceof EffectMode.ReadOnlyEffects) {
            json.put("readOnly", true);
        } else if (execution.effects() instanceof EffectMode.ApprovedPlan planned) {
            json.putObject("plan").put("id", planned.plan().toString()).put("approver", planned.approver());
        }
        if (!execution.blockedAttempts().isEmpty()) {
            json.set("blockedAttempts", blockedAttempts(execution.blockedAttempts()));
        }
        String self = "/api/v1/executions/" + execution.id();
        json.putObject("links")
                .put("self", self)
                .put("code", self + "/code")
                .put("output", self + "/output")
                .put("trace", self + "/trace")
                .put("events", self + "/events")
                .put("journal", self + "/journal")
                .put("artifacts", self + "/artifacts")
                .put("children", self + "/children")
                .put("cancel", self + "/cancel")
                .put("rerun", self + "/rerun");
        return json;
    }

    private static ObjectNode blockedAttempts(BlockedAttempts attempts) {
        ObjectNode json = object().put("total", attempts.total());
        ArrayNode items = json.putArray("attempts");
        attempts.counts().forEach(each -> {
            ObjectNode item = items.addObject().put("kind", each.kind().text());
            if (!each.name().isEmpty()) {
                item.put("name", each.name());
            }
            item.put("count", each.count());
        });
        return json;
    }

    /** Who cancelled the execution, and why; empty unless it was cancelled, or is being cancelled. */
    static Optional<ObjectNode> cancellation(Execution execution) {
        return execution
                .cancellation()
                .filter(any -> !execution.state().isTerminal() || execution.state() == ExecutionState.CANCELLED)
                .map(stored ->
                        cancellation(stored.request()).put("at", stored.at().toString()));
    }

    static ObjectNode cancellation(CancelRequest request) {
        ObjectNode json = object();
        request.requestedBy().ifPresent(caller -> json.put("requestedBy", caller));
        request.reason().ifPresent(reason -> json.put("reason", reason));
        return json;
    }

    /** Adds to the event that an execution was cancelled who cancelled it, and why. */
    static void addCancellation(ObjectNode json, TraceEvent event, Supplier<Optional<Execution>> execution) {
        if (event instanceof TraceEvent.StateChanged changed && changed.state() == ExecutionState.CANCELLED) {
            execution.get().flatMap(ExecutionMapper::cancellation).ifPresent(shown -> json.set("cancellation", shown));
        }
    }

    private static void output(Execution execution, ExecutionOutput output, ObjectNode json) {
        json.put("output", output.out());
        json.put("outputLength", execution.outputLength());
        json.put("errorOutput", output.err());
        json.put("errorOutputLength", execution.errorOutputLength());
        json.put("truncated", execution.truncated());
    }

    /** The output of an execution, and whether more may follow. */
    static ObjectNode output(Execution execution, ExecutionOutput output) {
        ObjectNode json = object();
        json.put("id", execution.id().toString());
        json.put("state", execution.state().name());
        output(execution, output, json);
        return json;
    }

    /** The output of the streams after the requested offsets. */
    record ExecutionOutput(String out, String err) {}

    /** One execution in a list. */
    static ObjectNode summary(ExecutionSummary summary) {
        ObjectNode json = object();
        json.put("id", summary.id().toString());
        json.put("state", summary.state().name());
        json.put("tier", summary.tier().name().toLowerCase(Locale.ROOT));
        json.put("language", summary.language().name().toLowerCase(Locale.ROOT));
        json.put("codePreview", summary.codePreview());
        summary.errorCode().ifPresent(code -> json.put("errorCode", code));
        json.put("attempt", summary.attempt());
        json.put("priority", summary.priority());
        json.put("submittedBy", summary.submitter());
        summary.schedule().ifPresent(schedule -> json.put("schedule", schedule.toString()));
        json.put("createdAt", summary.createdAt().toString());
        summary.startedAt().ifPresent(at -> json.put("startedAt", at.toString()));
        summary.finishedAt().ifPresent(at -> json.put("finishedAt", at.toString()));
        summary.batch().ifPresent(batch -> json.put("batch", batch.toString()));
        summary.capability().ifPresent(capability -> json.put("capability", capability.toString()));
        summary.rerunOf().ifPresent(original -> json.put("rerunOf", original.toString()));
        summary.parent().ifPresent(parent -> json.put("parent", parent.toString()));
        summary.savedScript().ifPresent(name -> json.put("cachedName", name));
        millisBetween(summary.createdAt(), summary.startedAt()).ifPresent(millis -> json.put("queueMillis", millis));
        runMillis(summary).ifPresent(millis -> json.put("runMillis", millis));
        millisBetween(summary.createdAt(), summary.finishedAt()).ifPresent(millis -> json.put("wallMillis", millis));
        ObjectNode labels = json.putObject("labels");
        summary.labels().forEach(labels::put);
        return json;
    }

    /** Time from the start to the end of an execution, in milliseconds; empty if it has not ended or never started. */
    static Optional<Long> runMillis(ExecutionSummary summary) {
        return summary.startedAt().flatMap(at -> millisBetween(at, summary.finishedAt()));
    }

    private static Optional<Long> millisBetween(Instant from, Optional<Instant> to) {
        return to.map(end -> Math.max(0, Duration.between(from, end).toMillis()));
    }

    static ObjectNode error(ExecutionError error) {
        ObjectNode json = object();
        json.put("code", error.code());
        json.put("culprit", error.origin().name().toLowerCase(Locale.ROOT));
        json.put("message", error.message());
        if (error.line() > 0) {
            json.put("line", error.line());
            json.put("column", error.column());
        }
        if (!error.stack().isEmpty()) {
            json.put("stack", error.stack());
        }
        error.tool().ifPresent(tool -> json.put("tool", tool));
        if (error.call() > 0) {
            json.put("call", error.call());
        }
        return json;
    }

    /**
     * Maps one trace event.
     *
     * @param nested identifies the calls of capabilities
     */
    static ObjectNode event(TraceEvent event, CapabilityCallIndex nested) {
        ObjectNode json = object();
        json.put("seq", event.seq());
        if (event instanceof TraceEvent.ToolStarted started) {
            json.put(
                    "type",
                    nested.isCapabilityCall(started.call(), started.tool()) ? "capability_start" : "tool_start");
            json.put("at", started.at().toString());
            json.put("call", started.call());
            json.put("tool", started.tool().toString());
            nested.describe(started.call(), json);
            json.set("args", raw(HostCallTrace.withoutContent(started.tool(), started.arguments())));
            markReplayed(json, started.replayed());
        } else if (event instanceof TraceEvent.ToolEnded ended) {
            json.put("type", nested.isCapabilityCall(ended.call(), ended.tool()) ? "capability_end" : "tool_end");
            json.put("at", ended.at().toString());
            json.put("call", ended.call());
            json.put("tool", ended.tool().toString());
            nested.describe(ended.call(), json);
            json.put("success", ended.error().isEmpty());
            ended.result()
                    .ifPresent(result -> json.set("result", raw(HostCallTrace.withoutContent(ended.tool(), result))));
            ended.error().ifPresent(error -> json.set("error", toolError(error)));
            json.put("durationMillis", ended.durationMillis());
            json.put("queueMillis", ended.queueMillis());
            ended.connectorReport().ifPresent(served -> {
                json.put("backendMillis", served.backendMillis());
                served.node().ifPresent(node -> json.put("node", node));
            });
            if (ended.attempts() > 1) {
                json.put("attempts", ended.attempts());
            }
            markReplayed(json, ended.replayed());
        } else if (event instanceof TraceEvent.StateChanged changed) {
            json.put("type", "state");
            json.put("at", changed.at().toString());
            json.put("state", changed.state().name());
            json.put("attempt", changed.attempt());
        } else if (event instanceof TraceEvent.CachedResultUsed answered) {
            json.put("type", "cached");
            json.put("at", answered.at().toString());
            json.put("from", answered.from().toString());
        } else if (event instanceof TraceEvent.PolicyDecided judged) {
            json.put("type", "policy");
            json.put("at", judged.at().toString());
            json.put("call", judged.call());
            json.put("tool", judged.tool().toString());
            json.put("rule", judged.rule());
            json.put("decision", judged.decision());
        } else if (event instanceof TraceEvent.ApprovalRequested asked) {
            json.put("type", "approval_requested");
            json.put("at", asked.at().toString());
            json.put("call", asked.call());
            json.put("tool", asked.tool().toString());
            json.put("approval", asked.approval().toString());
        } else if (event instanceof TraceEvent.ApprovalDecided decided) {
            json.put("type", "approval_" + decided.state().name().toLowerCase(Locale.ROOT));
            json.put("at", decided.at().toString());
            json.put("call", decided.call());
            json.put("tool", decided.tool().toString());
            json.put("approval", decided.approval().toString());
            json.put("by", decided.decidedBy());
            json.put("note", decided.note());
            decided.editedArguments().ifPresent(edited -> json.set("arguments", raw(edited)));
        } else if (event instanceof TraceEvent.ReplayLogRecorded recorded) {
            json.put("type", "heard");
            json.put("at", recorded.at().toString());
            json.put("notes", recorded.replayLog().strip());
        }
        return json;
    }

    private static void markReplayed(ObjectNode json, boolean replayed) {
        if (replayed) {
            json.put("replayed", true);
        }
    }

    private static ObjectNode toolError(ToolError error) {
        ObjectNode json = object();
        json.put("code", error.code().code());
        json.put("message", error.message());
        json.put("retryable", error.code().isRetryable());
        error.details().ifPresent(details -> json.set("details", raw(details)));
        return json;
    }

    /** One artifact. */
    static ObjectNode artifact(ExecutionId execution, Artifact artifact) {
        return object().put("name", artifact.name())
                .put("contentType", artifact.contentType())
                .put("size", artifact.size())
                .put("createdAt", artifact.createdAt().toString())
                .put(
                        "content",
                        "/api/v1/executions/" + execution + "/artifacts?name="
                                + URLEncoder.encode(artifact.name(), StandardCharsets.UTF_8));
    }

    /**
     * Maps one tool.
     *
     * @param call the expression by which scripts call it
     */
    static ObjectNode tool(CatalogTool tool, String call) {
        ToolHints hints = tool.spec().hints();
        ObjectNode json = object();
        json.put("name", tool.spec().name().toString());
        json.put("backend", tool.spec().name().backend());
        json.put("tool", tool.spec().name().tool());
        json.put("original", tool.declaredName());
        json.put("call", call);
        tool.unusable().ifPresent(reason -> json.put("unusable", reason));
        json.put("description", tool.spec().description());
        json.set("inputSchema", raw(tool.spec().inputSchema()));
        tool.spec().outputSchema().ifPresent(schema -> json.set("outputSchema", raw(schema)));
        tool.outputSchemaProblem().ifPresent(reason -> json.put("outputSchemaProblem", reason));
        json.put("readOnly", hints.readOnly());
        json.put("idempotent", hints.idempotent());
        json.put("destructive", hints.destructive());
        return json;
    }

    /** A list with the cursor of its next page. */
    static ObjectNode list(List<ObjectNode> items, Optional<String> next) {
        ObjectNode json = object();
        json.putArray("items").addAll(items);
        json.put("next", next.orElse(null));
        return json;
    }

    /** Writes JSON text without parsing it again; the text was validated on entry. */
    static ValueNode raw(Json json) {
        return NODES.rawValueNode(new RawValue(json.text()));
    }
}
