package org.sallyport.connector.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.Secrets;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Calls the operations of one HTTP interface. There is no connection to keep: it is ready once its description and its secrets
 * are there, for which it asks again and again. Thread-safe.
 */
final class HttpBackend implements LiveBackend {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 60_000;

    private final Site.Finder finder;
    private final Supplier<Secrets> secrets;
    private final Map<String, String> headers;
    private final Exchange exchange;
    private final Listener listener;
    private final Executor executor;
    private final Map<CallId, Exchange.Handle> open = new ConcurrentHashMap<>();
    private volatile Redaction redaction = Redaction.NOTHING;
    private volatile Map<String, String> resolved = Map.of();
    private volatile Site site = new Site("", List.of(), Map.of());
    private volatile boolean closed;

    HttpBackend(
            Site.Finder finder,
            Map<String, String> headers,
            Supplier<Secrets> secrets,
            Exchange exchange,
            Listener listener,
            Executor executor) {
        this.finder = finder;
        this.headers = headers;
        this.secrets = secrets;
        this.exchange = exchange;
        this.listener = listener;
        this.executor = executor;
    }

    @Override
    public void start() {
        executor.execute(() -> begin(FIRST_PAUSE_MILLIS));
    }

    private void begin(long pause) {
        if (closed) {
            return;
        }
        try {
            Site found = finder.find(exchange);
            Secrets known = secrets.get();
            Map<String, String> shown = new LinkedHashMap<>(known.resolve(headers));
            found.credentials().forEach(credential -> shown.put(credential.header(), credential.text(known)));
            redaction = known.redaction();
            resolved = shown;
            site = found;
            listener.tools(found.operations().values().stream()
                    .map(Operation::definition)
                    .toList());
            listener.state(State.READY, Optional.empty());
        } catch (IOException e) {
            again(
                    e.getCause() instanceof EgressDeniedException denied
                            ? "its description may not be asked for: " + denied.getMessage()
                            : "its description was not to be had: " + reason(e),
                    pause);
        } catch (EgressDeniedException e) {
            again("its description may not be asked for: " + e.getMessage(), pause);
        } catch (InvalidBackendException | IllegalStateException e) {
            again(String.valueOf(e.getMessage()), pause);
        } catch (RuntimeException e) {
            System.getLogger(HttpBackend.class.getName()).log(System.Logger.Level.DEBUG, "a backend did not start", e);
            again("the service cannot prepare it now", pause);
        }
    }

    private void again(String why, long pause) {
        if (!closed) {
            listener.state(State.DOWN, Optional.of(why));
            CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, executor)
                    .execute(() -> begin(Math.min(LONGEST_PAUSE_MILLIS, pause * 2)));
        }
    }

    @Override
    public CompletionStage<ToolResult> call(Call call) {
        Operation operation = site.operations().get(call.tool());
        if (operation == null) {
            return CompletableFuture.completedFuture(
                    ToolResult.failure(ToolErrorCode.TOOL_NOT_FOUND, "there is no operation '" + call.tool() + "'"));
        }
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        Exchange.Handle handle = new Exchange.Handle();
        open.put(call.id(), handle);
        result.whenComplete((done, failure) -> open.remove(call.id(), handle));
        executor.execute(() -> {
            try {
                result.complete(answer(call, operation, handle));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private ToolResult answer(Call call, Operation operation, Exchange.Handle handle) {
        try {
            JsonNode arguments = JSON.readTree(call.arguments().text());
            return Answers.of(
                    operation,
                    exchange.make(
                            site.base(),
                            operation,
                            arguments,
                            new Exchange.Added(resolved, call.trace(), call.id().toString()),
                            handle),
                    call.repeatable());
        } catch (UrlTemplate.BadArgumentException | JsonProcessingException e) {
            return ToolResult.failure(
                    ToolErrorCode.INVALID_ARGUMENTS, "'" + call.tool() + "' cannot be called so: " + e.getMessage());
        } catch (EgressDeniedException e) {
            return ToolResult.failure(
                    ToolErrorCode.EGRESS_DENIED, "'" + call.tool() + "' was not sent: " + e.getMessage());
        } catch (Exchange.TooLargeException e) {
            return ToolResult.failure(
                    ToolErrorCode.TOO_LARGE, "'" + call.tool() + "' answers more than " + e.limit() + " bytes");
        } catch (IOException e) {
            return lost(call, handle, e);
        }
    }

    private static ToolResult lost(Call call, Exchange.Handle handle, IOException e) {
        @Nullable Throwable denied = e.getCause();
        if (denied instanceof EgressDeniedException) {
            return ToolResult.failure(
                    ToolErrorCode.EGRESS_DENIED, "'" + call.tool() + "' was not sent: " + denied.getMessage());
        }
        return handle.sent() && !call.repeatable()
                ? ToolResult.failure(
                        ToolErrorCode.OUTCOME_UNKNOWN,
                        "the answer to '" + call.tool() + "' was lost (" + reason(e) + "); it may have had its effect")
                : ToolResult.failure(
                        ToolErrorCode.BACKEND_UNAVAILABLE, "'" + call.tool() + "' was not answered: " + reason(e));
    }

    private static String reason(IOException e) {
        return e instanceof UnknownHostException ? "its host has no address" : String.valueOf(e.getMessage());
    }

    @Override
    public void cancel(CallId call) {
        Exchange.Handle handle = open.get(call);
        if (handle != null) {
            handle.abort();
        }
    }

    @Override
    public Redaction redaction() {
        return redaction;
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(open.values()).forEach(Exchange.Handle::abort);
        exchange.close();
    }
}
