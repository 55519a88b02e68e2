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
import org.sallyport.catalog.BackendStatus.State;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.Secrets;
import org.sallyport.connector.http.Origin;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.CallId;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Another installation. There is no connection to keep: it is asked now and then what it offers, and is ready as long as it says so. Thread-safe.
 */
final class SallyportBackend implements LiveBackend {
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 60_000;

    private final Terms terms;
    private final Function<String, There> opening;
    private final Supplier<Secrets> secrets;
    private final OtherInstallations.Journey journey;
    private final Listener listener;
    private final Executor executor;
    private final InstantSource clock;
    private final RemoteCall.Manners manners = new RemoteCall.Manners();
    private final Map<CallId, RemoteCall> open = new ConcurrentHashMap<>();
    private volatile Redaction redaction = Redaction.NOTHING;
    private volatile Map<String, Target> targets = Map.of();
    private volatile @Nullable There there;
    private volatile Origin.Request looking = new Origin.Request();
    private volatile boolean closed;
    private List<ToolDefinition> offered = List.of();
    private boolean known;

    /**
     * What was agreed on.
     *
     * @param key as configured
     * @param namespaces what is taken over
     * @param refresh how often to ask what is offered
     * @param longest how long a call may take
     * @param mostHops how often a call may have gone on, to the other installation included
     */
    record Terms(String key, Namespaces namespaces, Duration refresh, Duration longest, int mostHops) {}

    /** @param opening of the door, with the key */
    SallyportBackend(
            Terms terms,
            Function<String, There> opening,
            Supplier<Secrets> secrets,
            OtherInstallations.Journey journey,
            Listener listener,
            Executor executor,
            InstantSource clock) {
        this.terms = terms;
        this.opening = opening;
        this.secrets = secrets;
        this.journey = journey;
        this.listener = listener;
        this.executor = executor;
        this.clock = clock;
    }

    @Override
    public void start() {
        listener.state(State.STARTING, Optional.empty());
        executor.execute(() -> look(FIRST_PAUSE_MILLIS, false));
    }

    /** @param failing whether the last look failed, too */
    private void look(long pause, boolean failing) {
        // One that took too long is of no more use.
        Origin.Request request = new Origin.Request();
        looking = request;
        if (closed) {
            return;
        }
        try {
            Offer.Taken taken = Offer.of(door(), terms.namespaces(), request);
            List<ToolDefinition> now = taken.tools();
            Map<String, Target> by = new HashMap<>();
            now.forEach(tool -> by.put(
                    tool.original(),
                    new Target(
                            tool.original(),
                            tool.hints().readOnly() || tool.hints().idempotent())));
            targets = Map.copyOf(by);
            if (!known || !now.equals(offered)) {
                listener.tools(now);
                offered = now;
                known = true;
            }
            listener.state(taken.lacking().isEmpty() ? State.READY : State.DEGRADED, taken.lacking());
            after(terms.refresh().toMillis(), FIRST_PAUSE_MILLIS, false);
        } catch (Offer.RefusedException e) {
            again(State.DOWN, reason(e), pause);
        } catch (IOException e) {
            // Once may be a hiccup, and calls find out by themselves.
            again(known && !failing ? State.DEGRADED : State.DOWN, reason(e), pause);
        } catch (InvalidBackendException | IllegalStateException e) {
            again(State.DOWN, String.valueOf(e.getMessage()), pause);
        } catch (RuntimeException e) {
            System.getLogger(SallyportBackend.class.getName())
                    .log(System.Logger.Level.DEBUG, "a backend did not start", e);
            again(State.DOWN, "the service cannot prepare it now", pause);
        }
    }

    private static String reason(IOException e) {
        return String.valueOf(e.getMessage());
    }

    private There door() {
        There before = there;
        if (before != null) {
            return before;
        }
        Secrets resolving = secrets.get();
        There opened = opening.apply(resolving.resolve(terms.key()));
        redaction = resolving.redaction();
        there = opened;
        if (closed) {
            opened.close();
        }
        return opened;
    }

    private void again(State state, String why, long pause) {
        if (!closed) {
            listener.state(state, Optional.of(why));
            after(pause, Math.min(LONGEST_PAUSE_MILLIS, pause * 2), true);
        }
    }

    private void after(long millis, long pause, boolean failing) {
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, executor)
                .execute(() -> look(pause, failing));
    }

    @Override
    public CompletionStage<ToolResult> call(Call call) {
        There door = there;
        Target target = targets.get(call.tool());
        if (door == null || target == null) {
            return CompletableFuture.completedFuture(ToolResult.failure(
                    ToolErrorCode.TOOL_NOT_FOUND, "the other installation offers no '" + call.tool() + "'"));
        }
        CompletableFuture<ToolResult> result = new CompletableFuture<>();
        RemoteCall remote = new RemoteCall(door, target, call, terms.longest(), manners, clock);
        // Before its turn comes: it may be cancelled, or all this be closed, until then.
        open.put(call.id(), remote);
        result.whenComplete((done, failure) -> open.remove(call.id(), remote));
        if (closed) {
            remote.abandon();
        }
        executor.execute(() -> {
            try {
                result.complete(made(remote, target, call));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private ToolResult made(RemoteCall remote, Target target, Call call) {
        int hops;
        try {
            hops = journey.hops(call.tenant(), call.id()) + 1;
        } catch (RuntimeException e) {
            return ToolResult.failure(
                    ToolErrorCode.BACKEND_UNAVAILABLE,
                    "'" + target.name() + "' was not sent: it cannot be looked up now how far the call has come");
        }
        if (hops > terms.mostHops()) {
            return ToolResult.failure(
                    ToolErrorCode.CALL_LIMIT,
                    "'" + target.name() + "' was not sent: the call would go from one installation to another "
                            + hops + " times, and " + terms.mostHops()
                            + " are allowed (maxHops); do they have their tools from each other?");
        }
        return remote.run(hops);
    }

    @Override
    public void cancel(CallId call) {
        RemoteCall remote = open.get(call);
        if (remote != null) {
            remote.cancel();
        }
    }

    @Override
    public Optional<String> progress(CallId call) {
        return Optional.ofNullable(open.get(call)).flatMap(RemoteCall::heard);
    }

    @Override
    public Redaction redaction() {
        return redaction;
    }

    @Override
    public void close() {
        closed = true;
        looking.abort();
        open.values().forEach(RemoteCall::abandon);
        There door = there;
        if (door != null) {
            door.close();
        }
    }
}
