package org.sallyport.connector.sallyport;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.BackendStatus.BackendState;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.SecretReferences;
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Backend for a remote installation. There is no permanent connection: the backend polls the remote tool list, and is
 * ready as long as the polls succeed. Thread-safe.
 */
final class SallyportBackend implements BackendConnection {
    private static final long INITIAL_RETRY_DELAY_MILLIS = 1_000;
    private static final long MAX_RETRY_DELAY_MILLIS = 60_000;

    private final RemoteTerms terms;
    private final Function<String, RemoteInstallationClient> clientFactory;
    private final Supplier<SecretReferences> secrets;
    private final SallyportBackendType.HopCounter hopCounter;
    private final ConnectionListener listener;
    private final Executor executor;
    private final InstantSource clock;
    private final RemoteCall.RemoteApiSupport apiSupport = new RemoteCall.RemoteApiSupport();
    private final Map<CallId, RemoteCall> openCalls = new ConcurrentHashMap<>();
    private volatile Redactor redactor = Redactor.NONE;
    private volatile Map<String, RemoteTarget> targets = Map.of();
    private volatile @Nullable RemoteInstallationClient client;
    private volatile SingleOriginHttpClient.AbortableRequest refreshRequest =
            new SingleOriginHttpClient.AbortableRequest();
    private volatile boolean closed;
    private List<ToolDefinition> storedTools = List.of();
    private boolean toolsStored;

    /**
     * Terms of use of the remote installation.
     *
     * @param key API key as configured, possibly a reference
     * @param namespaces imported namespaces
     * @param refreshInterval interval between polls of the tool list
     * @param maxCallDuration maximum duration of a call
     * @param maxHops maximum number of hops of a call between installations, including the hop to this one
     */
    record RemoteTerms(
            String key,
            ImportedNamespaces namespaces,
            Duration refreshInterval,
            Duration maxCallDuration,
            int maxHops) {}

    /** @param opening creates the client from the resolved key */
    SallyportBackend(
            RemoteTerms terms,
            Function<String, RemoteInstallationClient> opening,
            Supplier<SecretReferences> secrets,
            SallyportBackendType.HopCounter journey,
            ConnectionListener listener,
            Executor executor,
            InstantSource clock) {
        this.terms = terms;
        this.clientFactory = opening;
        this.secrets = secrets;
        this.hopCounter = journey;
        this.listener = listener;
        this.executor = executor;
        this.clock = clock;
    }

    @Override
    public void start() {
        listener.onStateChanged(BackendState.STARTING, Optional.empty());
        executor.execute(() -> refreshTools(INITIAL_RETRY_DELAY_MILLIS, false));
    }

    /** @param failing whether the previous poll failed too */
    private void refreshTools(long pause, boolean failing) {
        // The request is replaced, because one that timed out cannot be reused.
        SingleOriginHttpClient.AbortableRequest request = new SingleOriginHttpClient.AbortableRequest();
        refreshRequest = request;
        if (closed) {
            return;
        }
        try {
            RemoteToolImporter.ImportedTools taken =
                    RemoteToolImporter.importTools(openClient(), terms.namespaces(), request);
            List<ToolDefinition> now = taken.tools();
            Map<String, RemoteTarget> by = new HashMap<>();
            now.forEach(tool -> by.put(
                    tool.originalName(),
                    new RemoteTarget(tool.originalName(), tool.hints().isRepeatable())));
            targets = Map.copyOf(by);
            if (!toolsStored || !now.equals(storedTools)) {
                listener.onToolsDeclared(now);
                storedTools = now;
                toolsStored = true;
            }
            listener.onStateChanged(
                    taken.incompleteReason().isEmpty() ? BackendState.READY : BackendState.DEGRADED,
                    taken.incompleteReason());
            scheduleRefresh(terms.refreshInterval().toMillis(), INITIAL_RETRY_DELAY_MILLIS, false);
        } catch (RemoteToolImporter.RemoteAccessRefusedException e) {
            scheduleRetry(BackendState.DOWN, reason(e), pause);
        } catch (IOException e) {
            // One failure may be temporary, and calls detect an unreachable installation themselves.
            scheduleRetry(toolsStored && !failing ? BackendState.DEGRADED : BackendState.DOWN, reason(e), pause);
        } catch (InvalidBackendException | IllegalStateException e) {
            scheduleRetry(BackendState.DOWN, String.valueOf(e.getMessage()), pause);
        } catch (RuntimeException e) {
            System.getLogger(SallyportBackend.class.getName())
                    .log(System.Logger.Level.DEBUG, "a backend did not start", e);
            scheduleRetry(BackendState.DOWN, "the service could not prepare it and tries again", pause);
        }
    }

    private static String reason(IOException e) {
        return String.valueOf(e.getMessage());
    }

    private RemoteInstallationClient openClient() {
        RemoteInstallationClient before = client;
        if (before != null) {
            return before;
        }
        SecretReferences resolving = secrets.get();
        RemoteInstallationClient opened = clientFactory.apply(resolving.resolve(terms.key()));
        redactor = resolving.redactor();
        client = opened;
        if (closed) {
            opened.close();
        }
        return opened;
    }

    private void scheduleRetry(BackendState state, String why, long pause) {
        if (!closed) {
            listener.onStateChanged(state, Optional.of(why));
            scheduleRefresh(pause, Math.min(MAX_RETRY_DELAY_MILLIS, pause * 2), true);
        }
    }

    private void scheduleRefresh(long millis, long pause, boolean failing) {
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, executor)
                .execute(() -> refreshTools(pause, failing));
    }

    @Override
    public CompletionStage<ToolResult> call(BackendRequest call) {
        RemoteInstallationClient current = client;
        RemoteTarget target = targets.get(call.tool());
        if (current == null || target == null) {
            return CompletableFuture.completedFuture(ToolResult.failure(
                    ToolErrorCode.TOOL_NOT_FOUND, "the other installation offers no '" + call.tool() + "'"));
        }
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        RemoteCall remote = new RemoteCall(current, target, call, terms.maxCallDuration(), apiSupport, clock);
        // Registered before the call starts, since it may be cancelled, or the backend closed, while it waits.
        openCalls.put(call.id(), remote);
        result.whenComplete((done, failure) -> openCalls.remove(call.id(), remote));
        if (closed) {
            remote.abandon();
        }
        executor.execute(() -> {
            try {
                result.complete(callRemote(remote, target, call));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            } catch (Error e) {
                result.completeExceptionally(e);
                throw e; // ends the process if memory has run out
            } finally {
                remote.end();
            }
        });
        return result;
    }

    private ToolResult callRemote(RemoteCall remote, RemoteTarget target, BackendRequest call) {
        int hops;
        try {
            hops = hopCounter.hops(call.tenant(), call.id()) + 1;
        } catch (RuntimeException e) {
            return ToolResult.failure(
                    ToolErrorCode.BACKEND_UNAVAILABLE,
                    "'" + target.name() + "' was not sent: the number of installations that the call has passed"
                            + " cannot be looked up now");
        }
        if (hops > terms.maxHops()) {
            return ToolResult.failure(
                    ToolErrorCode.CALL_LIMIT,
                    "'" + target.name() + "' was not sent: the call would go from one installation to another "
                            + hops + " times, and " + terms.maxHops()
                            + " are allowed (maxHops); check whether they import their tools from each other");
        }
        return remote.run(hops);
    }

    @Override
    public void cancel(CallId call) {
        RemoteCall remote = openCalls.get(call);
        if (remote != null) {
            remote.cancel();
        }
    }

    @Override
    public CompletionStage<Boolean> withdraw(CallId call) {
        RemoteCall remote = openCalls.get(call);
        return remote == null ? CompletableFuture.completedStage(false) : remote.withdraw();
    }

    @Override
    public Optional<String> lastProgress(CallId call) {
        return Optional.ofNullable(openCalls.get(call)).flatMap(RemoteCall::lastProgress);
    }

    @Override
    public Redactor redactor() {
        return redactor;
    }

    @Override
    public void close() {
        closed = true;
        refreshRequest.abort();
        openCalls.values().forEach(RemoteCall::abandon);
        RemoteInstallationClient current = client;
        if (current != null) {
            current.close();
        }
    }
}
