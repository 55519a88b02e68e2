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
import org.sallyport.execution.Fence;
import org.sallyport.execution.PendingJob;
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
    private static final Duration LOOK_ALL = Duration.ofSeconds(30);

    private static final int AT_ONCE = 100;

    private final EventStore store;
    private final BiConsumer<String, String> announce;
    private final Consumer<PendingJob> dispatch;
    private final ScheduledExecutorService scheduler;
    private final Executor blocking;
    private final Map<String, Set<Waiter>> waiting = new ConcurrentHashMap<>();

    /** Number of the last event at the last look, by tenant; of whoever calls {@link #lookAgain} alone. */
    private final Map<String, Long> seen = new HashMap<>();

    /** When parked executions are looked through again; of the same. */
    private long lookAllNanos = System.nanoTime();

    private record Waiter(String tenant, Set<String> names, long after, CompletableFuture<Optional<Event>> answer) {}

    /**
     * @param announce tells other nodes that a tenant's event of a name came; must not block
     * @param dispatch sends the jobs of executions that were parked for an event; must not block
     * @param blocking runs what waits for the store
     */
    public EventBus(
            EventStore store,
            BiConsumer<String, String> announce,
            Consumer<PendingJob> dispatch,
            ScheduledExecutorService scheduler,
            Executor blocking) {
        this.store = store;
        this.announce = announce;
        this.dispatch = dispatch;
        this.scheduler = scheduler;
        this.blocking = blocking;
    }

    /** Stores an event and wakes who waits for it; empty when the fence holds the execution no more. Waits for the store. */
    public OptionalLong emit(String tenant, Fence fence, long call, String name, Json data) {
        Optional<EventStore.Emitted> emitted = store.emit(tenant, fence, call, name, data);
        if (emitted.isEmpty()) {
            return OptionalLong.empty();
        }
        Failpoint.EMITTED.reached(fence);
        long seq = emitted.get().seq();
        heard(tenant, name);
        announce.accept(tenant, name);
        if (emitted.get().awaited()) {
            blocking.execute(() -> wakeParked(() -> store.wake(tenant, name, seq, AT_ONCE)));
        }
        return OptionalLong.of(seq);
    }

    private void wakeParked(Supplier<List<PendingJob>> some) {
        try {
            int woken = AT_ONCE;
            while (woken == AT_ONCE) {
                List<PendingJob> jobs = some.get();
                jobs.forEach(dispatch);
                woken = jobs.size();
            }
        } catch (StoreUnavailableException later) {
            LOG.log(System.Logger.Level.DEBUG, "what is parked for events is woken later", later);
        }
    }

    /** Number of the tenant's last event. Waits for the store. */
    public long last(String tenant) {
        return store.last(tenant);
    }

    /**
     * The first event of one of {@code names} after number {@code after}, which may have come already; empty when {@code
     * timeout} has passed. Waits for the store, not for the event; cancel the future to stop waiting.
     */
    public CompletableFuture<Optional<Event>> next(
            String tenant, Set<String> names, long after, Optional<Duration> timeout) {
        CompletableFuture<Optional<Event>> answer = new CompletableFuture<>();
        Waiter waiter = new Waiter(tenant, names, after, answer);
        // Waits before it looks: an event that comes between would otherwise be missed.
        waiting.computeIfAbsent(tenant, key -> ConcurrentHashMap.newKeySet()).add(waiter);
        answer.whenComplete((event, failure) -> forget(waiter));
        look(waiter);
        timeout.filter(any -> !answer.isDone()).ifPresent(time -> {
            var due = scheduler.schedule(
                    () -> {
                        // First: whoever hears of the end is to find nobody waiting.
                        forget(waiter);
                        answer.complete(Optional.empty());
                    },
                    time.toMillis(),
                    TimeUnit.MILLISECONDS);
            answer.whenComplete((event, failure) -> due.cancel(false));
        });
        return answer;
    }

    /** An event of that name was stored, here or elsewhere. */
    public void heard(String tenant, String name) {
        waiting.getOrDefault(tenant, Set.of()).stream()
                .filter(waiter -> waiter.names().contains(name))
                .forEach(waiter -> blocking.execute(() -> look(waiter)));
    }

    /** Asks the store whether anything came that those who wait did not hear of: a word may have been lost. */
    public void lookAgain() {
        seen.keySet().retainAll(waiting.keySet());
        waiting.forEach((tenant, waiters) -> {
            long last = store.last(tenant);
            Long before = seen.put(tenant, last);
            if (before == null || before != last) {
                waiters.forEach(this::look);
            }
        });
        if (System.nanoTime() - lookAllNanos >= 0) {
            lookAllNanos = System.nanoTime() + LOOK_ALL.toNanos();
            wakeParked(() -> store.wakeMissed(AT_ONCE));
        }
    }

    /** Forgets events older than {@code age}, {@code limit} at most; how many. Waits for the store. */
    public int purge(Duration age, int limit) {
        return store.purge(age, limit);
    }

    /** How many wait. */
    public int waitingCount() {
        return waiting.values().stream().mapToInt(Set::size).sum();
    }

    private void look(Waiter waiter) {
        if (waiter.answer().isDone()) {
            return;
        }
        try {
            store.firstAfter(waiter.tenant(), waiter.names(), waiter.after())
                    .ifPresent(event -> waiter.answer().complete(Optional.of(event)));
        } catch (StoreUnavailableException later) {
            LOG.log(System.Logger.Level.DEBUG, "events cannot be read now", later);
        }
    }

    private void forget(Waiter waiter) {
        waiting.computeIfPresent(waiter.tenant(), (tenant, waiters) -> {
            waiters.remove(waiter);
            return waiters.isEmpty() ? null : waiters;
        });
    }
}
