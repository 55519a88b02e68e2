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
 * Wakes those who wait for an event. The store is the truth: a word from another node, or the next look, only says when to ask
 * it. Who waits holds no thread. Thread-safe.
 */
public final class EventBus {
    private static final System.Logger LOG = System.getLogger(EventBus.class.getName());

    /** Only who emitted, and died before it could tell, makes this necessary. */
    private static final Duration FULL_POLL_INTERVAL = Duration.ofSeconds(30);

    private static final int BATCH_SIZE = 100;

    private final EventStore store;
    private final BiConsumer<String, String> broadcaster;
    private final Consumer<ExecutionJob> jobDispatcher;
    private final ScheduledExecutorService scheduler;
    private final Executor blockingExecutor;
    private final Map<String, Set<EventWaiter>> waitersByTenant = new ConcurrentHashMap<>();

    /** Number of the last event at the last look, by tenant; of whoever calls {@link #pollMissed} alone. */
    private final Map<String, Long> lastSeenSeq = new HashMap<>();

    /** When parked executions are looked through again; of the same. */
    private long nextFullPollNanos = System.nanoTime();

    private record EventWaiter(
            String tenant, Set<String> names, long after, CompletableFuture<Optional<ScriptEvent>> future) {}

    /**
     * @param announce tells other nodes that a tenant's event of a name came; must not block
     * @param dispatch sends the jobs of executions that were parked for an event; must not block
     * @param blocking runs what waits for the store
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

    /** Stores an event and wakes who waits for it; empty when the fence holds the execution no more. Waits for the store. */
    public OptionalLong emit(String tenant, FencingToken fence, long call, String name, Json data) {
        Optional<EventStore.EmittedEvent> emitted = store.emit(tenant, fence, call, name, data);
        if (emitted.isEmpty()) {
            return OptionalLong.empty();
        }
        Failpoint.EMITTED.reached(fence);
        long seq = emitted.get().seq();
        onStored(tenant, name);
        broadcaster.accept(tenant, name);
        if (emitted.get().hasParkedWaiter()) {
            blockingExecutor.execute(() -> resumeInBatches(() -> store.resumeParked(tenant, name, seq, BATCH_SIZE)));
        }
        return OptionalLong.of(seq);
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
            LOG.log(System.Logger.Level.DEBUG, "what is parked for events is woken later", later);
        }
    }

    /** Number of the tenant's last event. Waits for the store. */
    public long lastSeq(String tenant) {
        return store.lastSeq(tenant);
    }

    /**
     * The first event of one of {@code names} after number {@code after}, which may have come already; empty when {@code
     * timeout} has passed. Waits for the store, not for the event; cancel the future to stop waiting.
     */
    public CompletableFuture<Optional<ScriptEvent>> await(
            String tenant, Set<String> names, long after, Optional<Duration> timeout) {
        CompletableFuture<Optional<ScriptEvent>> answer = new CompletableFuture<>();
        EventWaiter waiter = new EventWaiter(tenant, names, after, answer);
        // Waits before it looks: an event that comes between would otherwise be missed.
        waitersByTenant
                .computeIfAbsent(tenant, key -> ConcurrentHashMap.newKeySet())
                .add(waiter);
        answer.whenComplete((event, failure) -> removeWaiter(waiter));
        poll(waiter);
        timeout.filter(any -> !answer.isDone()).ifPresent(time -> {
            var due = scheduler.schedule(
                    () -> {
                        // First: whoever hears of the end is to find nobody waiting.
                        removeWaiter(waiter);
                        answer.complete(Optional.empty());
                    },
                    time.toMillis(),
                    TimeUnit.MILLISECONDS);
            answer.whenComplete((event, failure) -> due.cancel(false));
        });
        return answer;
    }

    /** An event of that name was stored, here or elsewhere. */
    public void onStored(String tenant, String name) {
        waitersByTenant.getOrDefault(tenant, Set.of()).stream()
                .filter(waiter -> waiter.names().contains(name))
                .forEach(waiter -> blockingExecutor.execute(() -> poll(waiter)));
    }

    /** Asks the store whether anything came that those who wait did not hear of: a word may have been lost. */
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

    /** Forgets events older than {@code age}, {@code limit} at most; how many. Waits for the store. */
    public int purge(Duration age, int limit) {
        return store.purge(age, limit);
    }

    /** How many wait. */
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

    private void removeWaiter(EventWaiter waiter) {
        waitersByTenant.computeIfPresent(waiter.tenant(), (tenant, waiters) -> {
            waiters.remove(waiter);
            return waiters.isEmpty() ? null : waiters;
        });
    }
}
