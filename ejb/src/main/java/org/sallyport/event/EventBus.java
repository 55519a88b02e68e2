package org.sallyport.event;

import java.time.Duration;
import java.util.HashMap;
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
import org.sallyport.execution.Fence;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.tool.Json;

/**
 * Wakes those who wait for an event. The store is the truth: a word from another node, or the next look, only says when to ask
 * it. Who waits holds no thread. Thread-safe.
 */
public final class EventBus {
    private static final System.Logger LOG = System.getLogger(EventBus.class.getName());

    private final EventStore store;
    private final BiConsumer<String, String> announce;
    private final ScheduledExecutorService scheduler;
    private final Executor blocking;
    private final Map<String, Set<Waiter>> waiting = new ConcurrentHashMap<>();

    /** Number of the last event at the last look, by tenant; of whoever calls {@link #lookAgain} alone. */
    private final Map<String, Long> seen = new HashMap<>();

    private record Waiter(String tenant, Set<String> names, long after, CompletableFuture<Optional<Event>> answer) {}

    /**
     * @param announce tells other nodes that a tenant's event of a name came; must not block
     * @param blocking runs what waits for the store
     */
    public EventBus(
            EventStore store,
            BiConsumer<String, String> announce,
            ScheduledExecutorService scheduler,
            Executor blocking) {
        this.store = store;
        this.announce = announce;
        this.scheduler = scheduler;
        this.blocking = blocking;
    }

    /** Stores an event and wakes who waits for it; empty when the fence holds the execution no more. Waits for the store. */
    public OptionalLong emit(String tenant, Fence fence, long call, String name, Json data) {
        OptionalLong seq = store.emit(tenant, fence, call, name, data);
        if (seq.isPresent()) {
            heard(tenant, name);
            announce.accept(tenant, name);
        }
        return seq;
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
            var due =
                    scheduler.schedule(() -> answer.complete(Optional.empty()), time.toMillis(), TimeUnit.MILLISECONDS);
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
