package org.sallyport.connector.bean;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolResult;

/** Runs a bean as a backend, without a container. */
final class BeanHarness implements AutoCloseable {
    static final Instant DEADLINE = Instant.parse("2026-01-01T00:01:00Z");

    private final ExecutorService threads;
    private final List<ToolDefinition> tools = new CopyOnWriteArrayList<>();
    private final BackendConnection backend;
    private int calls;

    BeanHarness(Object bean) {
        this(bean, Executors.newCachedThreadPool());
    }

    /** @param threads runs the calls of the bean; closed with this harness */
    BeanHarness(Object bean, ExecutorService threads) {
        this.threads = threads;
        BeanBackendType kind = new BeanBackendType(
                List.of(new BackendBean(bean.getClass(), Optional.empty(), () -> bean)), Set.of(), threads);
        String name = kind.builtInNames().orElseThrow().iterator().next();
        backend = kind.open(
                new BackendDefinition(
                        name, kind.name(), Json.EMPTY_OBJECT, true, BackendDefinition.BackendOrigin.BUILT_IN, "1"),
                new BackendConnection.ConnectionListener() {
                    @Override
                    public void onStateChanged(BackendState state, Optional<String> error) {}

                    @Override
                    public void onToolsDeclared(List<ToolDefinition> now) {
                        tools.addAll(now);
                    }
                });
        backend.start();
    }

    List<ToolDefinition> tools() throws InterruptedException {
        for (int i = 0; i < 1_000 && tools.isEmpty(); i++) {
            Thread.sleep(10);
        }
        return tools;
    }

    ToolDefinition tool(String name) throws InterruptedException {
        return tools().stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** A call in progress. */
    record PendingBeanCall(CallId id, java.util.concurrent.CompletableFuture<ToolResult> result) {
        ToolResult await() throws Exception {
            return result.get(60, TimeUnit.SECONDS);
        }
    }

    PendingBeanCall startCall(String tool, String arguments) {
        return startCall(tool, arguments, false);
    }

    PendingBeanCall startCall(String tool, String arguments, boolean repeatable) {
        CallId id = new CallId("e", ++calls);
        return new PendingBeanCall(
                id,
                backend.call(new BackendConnection.BackendRequest(
                                id, tool, new Json(arguments), repeatable, "acme", DEADLINE))
                        .toCompletableFuture());
    }

    ToolResult call(String tool, String arguments) {
        try {
            return startCall(tool, arguments).await();
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    BackendConnection backend() {
        return backend;
    }

    @Override
    public void close() {
        backend.close();
        threads.shutdownNow();
    }
}
