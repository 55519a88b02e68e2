package org.sallyport.event;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.tool.Json;

/**
 * Wakes executions and clients that wait for an event. The store is authoritative: a broadcast from another node, or a
 * poll, only triggers a query. A waiter holds no thread. Thread-safe.
 */
public final class EventBus {
    private static final System.Logger LOG = System.getLogger(EventBus.class.getName());

    /** Covers only an emitter that stopped before it could broadcast. */
    private static final Duration FULL_POLL_INTERVAL = Duration.ofSeconds(30);

    private static final int BATCH_SIZE = 100;

    private final EventStore store;
    private final BiConsumer<String, String> broadcaster;
    private final Consumer<ExecutionJob> jobDispatcher;
    private final ScheduledExecutorService scheduler;
    private final Executor blockingExecutor;
    private final Map<String, Set<EventWaiter>> waitersByTenant = new ConcurrentHashMap<>();

    /** Sequence number of the last event at the last poll, by tenant; used only by {@link #pollMissed}. */
    private final Map<String, Long> lastSeenSeq = new HashMap<>();

    /** When parked executions are polled again; used only by {@link #pollMissed}. */
    private long nextFullPollNanos = System.nanoTime();

    private final Map<String, Set<EventSignal>> signalsByTenant = new ConcurrentHashMap<>();

    /** A subscriber that waits for the next event; all names if {@code names} is empty. */
    private record EventSignal(Set<String> names, CompletableFuture<Void> future) {}

    private record EventWaiter(
            String tenant, Set<String> names, long after, CompletableFuture<Optional<ScriptEvent>> future) {}

    /**
     * @param announce broadcasts the tenant and the name of a new event to other nodes; must not block
     * @param dispatch sends the jobs of executions that were parked for an event; must not block
     * @param blocking runs the blocking store access
     */
    public EventBus(
            EventStore store,
            BiConsumer<String, String> announce,
            Consumer<ExecutionJob> dispatch,
            ScheduledExecutorService scheduler,
            Executor blocking) {
        this.store = store;
        this.broadcaster = announce;
        this.jobDispatcher = dispatch;
        this.scheduler = scheduler;
        this.blockingExecutor = blocking;
    }

    /**
     * Stores an event and wakes its waiters. Returns its sequence number; empty when the fencing token no longer holds
     * the execution. Waits for the store.
     */
    public OptionalLong emit(String tenant, FencingToken fence, long call, String name, Json data) {
        Optional<EventStore.EmittedEvent> emitted = store.emit(tenant, fence, call, name, data);
        if (emitted.isEmpty()) {
            return OptionalLong.empty();
        }
        Failpoint.EMITTED.reached(fence);
        long seq = emitted.get().seq();
        announce(tenant, name, seq, emitted.get().hasParkedWaiter());
        return OptionalLong.of(seq);
    }

    /**
     * Stores an event that no script emits and wakes its waiters like {@link #emit}; also if an earlier request with
     * the same key stored it, because the node may have stopped before it could wake them. Waits for the store.
     */
    public ExternalEmitResult emitExternal(String tenant, ExternalEvent event) {
        ExternalEmitResult result = store.emitExternal(tenant, event);
        if (result instanceof ExternalEmitResult.ExternalEventStored stored) {
            Failpoint.EMITTED.reached(event.name());
            // The stored name: a secret that was added since would be redacted in that of a repeated request.
            announce(tenant, stored.name(), stored.seq(), stored.hasParkedWaiter());
        }
        return result;
    }

    /** Wakes the waiters of a stored event on all nodes, and parked executions. */
    private void announce(String tenant, String name, long seq, boolean hasParkedWaiter) {
        onStored(tenant, name);
        broadcaster.accept(tenant, name);
        if (hasParkedWaiter) {
            executeUnlessStopping(() -> resumeInBatches(() -> store.resumeParked(tenant, name, seq, BATCH_SIZE)));
        }
    }

    /** Runs a task that polls repeat. A node that stops drops it, because the event is stored already. */
    private void executeUnlessStopping(Runnable task) {
        try {
            blockingExecutor.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "waiters of an event are not woken by this node, because it stops; the polls of others wake them",
                    e);
        }
    }

    private void resumeInBatches(Supplier<List<ExecutionJob>> some) {
        try {
            int woken = BATCH_SIZE;
            while (woken == BATCH_SIZE) {
                List<ExecutionJob> jobs = some.get();
                jobs.forEach(jobDispatcher);
                woken = jobs.size();
            }
        } catch (StoreUnavailableException later) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "executions parked for events could not be woken; the next sweep tries" + " again",
                    later);
        }
    }

    /** Returns the sequence number of the tenant's last event. Waits for the store. */
    public long lastSeq(String tenant) {
        return store.lastSeq(tenant);
    }

    /**
     * Completes with the first event of one of {@code names} after number {@code after}, which may already exist; empty
     * when {@code timeout} has passed. Waits for the store, not for the event; cancel the future to stop waiting.
     */
    public CompletableFuture<Optional<ScriptEvent>> await(
            String tenant, Set<String> names, long after, Optional<Duration> timeout) {
        CompletableFuture<Optional<ScriptEvent>> answer = new CompletableFuture<>();
        EventWaiter waiter = new EventWaiter(tenant, names, after, answer);
        // Registers before the first query, so that an event in between is not missed.
        addWaiter(waiter);
        answer.whenComplete((event, failure) -> removeWaiter(waiter));
        poll(waiter);
        timeout.filter(any -> !answer.isDone()).ifPresent(time -> {
            var due = scheduler.schedule(
                    () -> {
                        // Before the completion: a caller that sees the result must find the waiter removed.
                        removeWaiter(waiter);
                        answer.complete(Optional.empty());
                    },
                    time.toMillis(),
                    TimeUnit.MILLISECONDS);
            answer.whenComplete((event, failure) -> due.cancel(false));
        });
        return answer;
    }

    /**
     * Returns the first event after number {@code after} for a subscriber; empty when there is none. Waits for the
     * store.
     *
     * @param names names of the events; empty for all
     */
    public Optional<PublishedEvent> findNext(String tenant, Set<String> names, long after) {
        return store.findNext(tenant, names, after);
    }

    /**
     * Returns the number of the first stored event of any name after number {@code after}; empty when there is none.
     * Waits for the store.
     */
    public OptionalLong firstSeqAfter(String tenant, long after) {
        return store.firstSeqAfter(tenant, after);
    }

    /**
     * Completes when a node stores an event of one of {@code names}, after {@code timeout} at the latest; never if this
     * node stops. Does not query the store, so it misses events that are stored before this call.
     *
     * @param names names of the events; empty for all
     */
    public CompletableFuture<Void> awaitStored(String tenant, Set<String> names, Duration timeout) {
        EventSignal signal = new EventSignal(names, new CompletableFuture<>());
        Future<?> due;
        try {
            due = scheduler.schedule(() -> signal.future().complete(null), timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // Not completed, because the subscriber would ask again at once until the node has stopped.
            return signal.future();
        }
        // Atomic like the removal, which drops a set that has become empty.
        signalsByTenant.compute(tenant, (key, signals) -> {
            Set<EventSignal> all = signals == null ? ConcurrentHashMap.newKeySet() : signals;
            all.add(signal);
            return all;
        });
        return signal.future().whenComplete((done, failure) -> {
            due.cancel(false);
            signalsByTenant.computeIfPresent(tenant, (key, signals) -> {
                signals.remove(signal);
                return signals.isEmpty() ? null : signals;
            });
        });
    }

    /** Wakes the waiters for an event of that name that was stored on any node. */
    public void onStored(String tenant, String name) {
        signalsByTenant.getOrDefault(tenant, Set.of()).stream()
                .filter(signal -> signal.names().isEmpty() || signal.names().contains(name))
                .forEach(signal -> signal.future().complete(null));
        waitersByTenant.getOrDefault(tenant, Set.of()).stream()
                .filter(waiter -> waiter.names().contains(name))
                .forEach(waiter -> executeUnlessStopping(() -> poll(waiter)));
    }

    /** Queries the store for events whose broadcast was lost. */
    public void pollMissed() {
        lastSeenSeq.keySet().retainAll(waitersByTenant.keySet());
        waitersByTenant.forEach((tenant, waiters) -> {
            long last = store.lastSeq(tenant);
            Long before = lastSeenSeq.put(tenant, last);
            if (before == null || before != last) {
                waiters.forEach(this::poll);
            }
        });
        if (System.nanoTime() - nextFullPollNanos >= 0) {
            nextFullPollNanos = System.nanoTime() + FULL_POLL_INTERVAL.toNanos();
            resumeInBatches(() -> store.resumeMissed(BATCH_SIZE));
        }
    }

    /**
     * Deletes events older than {@code age}, at most {@code limit}. Returns the number of deleted events. Waits for the
     * store.
     */
    public int purge(Duration age, int limit) {
        return store.purge(age, limit);
    }

    /** Returns the number of scripts that wait for an event. */
    public int waiterCount() {
        return waitersByTenant.values().stream().mapToInt(Set::size).sum();
    }

    private void poll(EventWaiter waiter) {
        if (waiter.future().isDone()) {
            return;
        }
        try {
            store.findFirstAfter(waiter.tenant(), waiter.names(), waiter.after())
                    .ifPresent(event -> waiter.future().complete(Optional.of(event)));
        } catch (StoreUnavailableException later) {
            LOG.log(System.Logger.Level.DEBUG, "events cannot be read now", later);
        }
    }

    /** Atomic like the removal, which drops a set that has become empty: a waiter in a dropped set is never woken. */
    private void addWaiter(EventWaiter waiter) {
        waitersByTenant.compute(waiter.tenant(), (tenant, waiters) -> {
            Set<EventWaiter> all = waiters == null ? ConcurrentHashMap.newKeySet() : waiters;
            all.add(waiter);
            return all;
        });
    }

    private void removeWaiter(EventWaiter waiter) {
        waitersByTenant.computeIfPresent(waiter.tenant(), (tenant, waiters) -> {
            waiters.remove(waiter);
            return waiters.isEmpty() ? null : waiters;
        });
    }
}
