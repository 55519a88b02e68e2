package org.sallyport.connector.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.sallyport.connector.Connector;
import org.sallyport.connector.document.ExactJson;
import org.sallyport.demo.DemoStore;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolCall;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;
import org.sallyport.tool.ToolSpec;

/** Implements the demo tools. Thread-safe. */
public final class DemoConnector implements Connector {
    private static final int MAX_FLAKY_NAMES = 10_000;
    /** The longest results of the tools that list what was stored, within the limit of a result. */
    private static final int MAX_LISTED_CALLS = 10_000;

    private static final int MAX_LISTED_MAILS = 100;

    private final DemoStore store;
    private final InstantSource clock;
    private final ScheduledExecutorService scheduler;
    private final Executor blocking;
    private final Map<String, Integer> flakyCalls = new LinkedHashMap<>();
    private final Map<CallId, DelayedDemoCall> delayedCalls = new ConcurrentHashMap<>();

    private record DelayedDemoCall(ScheduledFuture<?> start, CompletableFuture<ToolResult> result) {}

    /**
     * @param scheduler runs delays; its tasks do nothing slow
     * @param blocking runs store access after a delay
     */
    public DemoConnector(DemoStore store, InstantSource clock, ScheduledExecutorService scheduler, Executor blocking) {
        this.store = store;
        this.clock = clock;
        this.scheduler = scheduler;
        this.blocking = blocking;
    }

    @Override
    public String backendName() {
        return DemoTools.BACKEND;
    }

    @Override
    public List<ToolSpec> tools() {
        return DemoTools.ALL;
    }

    @Override
    public CompletionStage<ToolResult> call(ToolCall call) {
        JsonNode arguments = parse(call.arguments());
        return switch (call.tool().tool()) {
            case "echo" -> completed(ToolResult.success(call.arguments()));
            case "add" -> completed(add(arguments));
            case "clock" -> completed(value(TextNode.valueOf(clock.instant().toString())));
            case "slow" ->
                completeAfter(call.id(), arguments.path("millis").asLong(), () -> value(arguments.path("value")));
            case "fail" -> completed(fail(arguments));
            case "flaky" -> completed(flaky(call.tenant(), arguments));
            case "kv_get" ->
                completed(ToolResult.success(
                        store.get(call.tenant(), text(arguments, "key")).orElse(Json.NULL)));
            case "kv_put" -> completed(put(call, arguments));
            case "counter_read" ->
                completed(value(LongNode.valueOf(store.count(call.tenant(), text(arguments, "name")))));
            case "counter_increment" ->
                completeAfter(
                        call.id(),
                        arguments.path("delayMillis").asLong(0),
                        () -> value(LongNode.valueOf(store.increment(
                                call.tenant(),
                                text(arguments, "name"),
                                arguments.path("by").asLong(1),
                                call.id().toString()))));
            case "counter_ledger" ->
                completed(value(array(store.ledger(call.tenant(), text(arguments, "name"), MAX_LISTED_CALLS))));
            case "send_mail" -> completed(send(call));
            case "outbox" -> completed(outbox(call.tenant()));
            default ->
                completed(ToolResult.failure(ToolErrorCode.TOOL_NOT_FOUND, "there is no tool '" + call.tool() + "'"));
        };
    }

    private static CompletionStage<ToolResult> completed(ToolResult result) {
        return CompletableFuture.completedFuture(result);
    }

    /** Drops a call that is still delayed; a call that has started runs to its end. */
    @Override
    public void cancel(CallId call) {
        DelayedDemoCall waits = delayedCalls.remove(call);
        if (waits != null && waits.start().cancel(false)) {
            waits.result().complete(ToolResult.failure(ToolErrorCode.CANCELLED, "the call was cancelled"));
        }
    }

    private CompletionStage<ToolResult> completeAfter(CallId call, long millis, Supplier<ToolResult> answer) {
        if (millis == 0) {
            return completed(answer.get());
        }
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        ScheduledFuture<?> start = scheduler.schedule(
                () -> {
                    delayedCalls.remove(call);
                    result.completeAsync(answer, blocking);
                },
                millis,
                TimeUnit.MILLISECONDS);
        delayedCalls.put(call, new DelayedDemoCall(start, result));
        if (start.isDone()) {
            delayedCalls.remove(call);
        }
        return result;
    }

    /** Integers stay integers as long as they fit, as in the script itself. */
    private static ToolResult add(JsonNode arguments) {
        JsonNode a = arguments.path("a");
        JsonNode b = arguments.path("b");
        if (a.isIntegralNumber() && b.isIntegralNumber() && a.canConvertToLong() && b.canConvertToLong()) {
            try {
                return value(LongNode.valueOf(Math.addExact(a.longValue(), b.longValue())));
            } catch (ArithmeticException e) {
                return value(BigIntegerNode.valueOf(a.bigIntegerValue().add(b.bigIntegerValue())));
            }
        }
        double sum = a.doubleValue() + b.doubleValue();
        return Double.isFinite(sum)
                ? value(DoubleNode.valueOf(sum))
                : ToolResult.failure(ToolErrorCode.TOOL_FAILED, "the sum is too large for a number");
    }

    private static ToolResult fail(JsonNode arguments) {
        String message = arguments.path("message").asText("demo.fail was called");
        Optional<Json> details = arguments.has("code")
                ? Optional.of(new Json(ExactJson.NODES
                        .objectNode()
                        .set("code", arguments.get("code"))
                        .toString()))
                : Optional.empty();
        return new ToolResult.ToolFailure(new ToolError(ToolErrorCode.TOOL_FAILED, message, details));
    }

    private ToolResult flaky(String tenant, JsonNode arguments) {
        String name = tenant + "/" + text(arguments, "name");
        int calls;
        synchronized (flakyCalls) {
            if (flakyCalls.size() >= MAX_FLAKY_NAMES) {
                flakyCalls.remove(flakyCalls.keySet().iterator().next());
            }
            calls = flakyCalls.merge(name, 1, Integer::sum);
        }
        int failures = arguments.path("failures").asInt();
        return calls <= failures
                ? ToolResult.failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE, "failure " + calls + " of " + failures + ", as asked for")
                : value(LongNode.valueOf(calls));
    }

    private ToolResult put(ToolCall call, JsonNode arguments) {
        store.put(
                call.tenant(),
                text(arguments, "key"),
                new Json(arguments.path("value").toString()));
        return ToolResult.success(Json.NULL);
    }

    private ToolResult send(ToolCall call) {
        store.recordMail(call.tenant(), call.id().toString(), call.arguments());
        return ToolResult.success(Json.NULL);
    }

    private ToolResult outbox(String tenant) {
        StringBuilder list = new StringBuilder("[");
        for (Json mail : store.outbox(tenant, MAX_LISTED_MAILS)) {
            list.append(list.length() == 1 ? "" : ",").append(mail.text());
        }
        return ToolResult.success(new Json(list.append(']').toString()));
    }

    private static ArrayNode array(List<String> texts) {
        ArrayNode array = ExactJson.NODES.arrayNode();
        texts.forEach(array::add);
        return array;
    }

    private static ToolResult value(JsonNode value) {
        return ToolResult.success(value.isMissingNode() ? Json.NULL : new Json(value.toString()));
    }

    private static String text(JsonNode arguments, String member) {
        return arguments.path(member).asText();
    }

    private static JsonNode parse(Json json) {
        try {
            return ExactJson.MAPPER.readTree(json.text());
        } catch (JsonProcessingException | ArithmeticException e) {
            throw new IllegalArgumentException("arguments are not JSON", e);
        }
    }
}
