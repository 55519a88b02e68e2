package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WaitingTest {
    private final Set<ExecutionId> live = ConcurrentHashMap.newKeySet();
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger tasks = new AtomicInteger();
    private final Completions completions = new Completions();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final Waiting waiting = new Waiting(store(), completions, threads, task -> {
        tasks.incrementAndGet();
        threads.execute(task);
    });

    /** Knows what lives, and nothing else. */
    private ExecutionStore store() {
        return (ExecutionStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ExecutionStore.class}, (proxy, called, given) -> {
                    if (!called.getName().equals("live")) {
                        throw new UnsupportedOperationException(called.toString());
                    }
                    looks.incrementAndGet();
                    List<ExecutionId> ids = new ArrayList<>();
                    ((List<?>) given[0]).forEach(id -> ids.add((ExecutionId) id));
                    ids.retainAll(live);
                    return ids;
                });
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private ExecutionId begun() {
        ExecutionId id = new ExecutionId(UUID.randomUUID());
        live.add(id);
        return id;
    }

    private CompletableFuture<Void> until(ExecutionId id, long millis) {
        return waiting.until(id, millis).toCompletableFuture();
    }

    @Test
    void anEndOnAnotherNodeIsSeenByAllWhoWait() throws Exception {
        ExecutionId id = begun();
        CompletableFuture<Void> one = until(id, 60_000);
        CompletableFuture<Void> other = until(id, 60_000);
        live.remove(id);

        one.get(50, TimeUnit.SECONDS);
        other.get(50, TimeUnit.SECONDS);
    }

    @Test
    void anEndHereWakesAtOnceAndAWaitEndsInTime() throws Exception {
        ExecutionId id = begun();
        CompletableFuture<Void> woken = until(id, 60_000);
        completions.ended(id);
        woken.get(50, TimeUnit.SECONDS);

        until(begun(), 10).get(50, TimeUnit.SECONDS);
    }

    @Test
    void thousandsWhoWaitAskTheStoreLittle() throws Exception {
        List<ExecutionId> ids = new ArrayList<>();
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            ExecutionId id = begun();
            ids.add(id);
            waits.add(until(id, 60_000));
        }
        ExecutionId last = begun();
        CompletableFuture<Void> end = until(last, 60_000);
        live.remove(last);
        end.get(50, TimeUnit.SECONDS);

        assertThat(looks.get()).isLessThan(50);
        assertThat(tasks.get()).isLessThan(50);
        assertThat(waits).noneMatch(CompletableFuture::isDone);
    }
}
