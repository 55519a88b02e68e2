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

class CompletionWaiterTest {
    private final Set<ExecutionId> live = ConcurrentHashMap.newKeySet();
    private final AtomicInteger storeQueries = new AtomicInteger();
    private final AtomicInteger tasks = new AtomicInteger();
    private final CompletionNotifier completions = new CompletionNotifier();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final CompletionWaiter waiting = new CompletionWaiter(store(), completions, threads, task -> {
        tasks.incrementAndGet();
        threads.execute(task);
    });

    /** A store that only reports which executions are unfinished. */
    private ExecutionStore store() {
        return (ExecutionStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ExecutionStore.class}, (proxy, called, given) -> {
                    if (!called.getName().equals("retainUnfinished")) {
                        throw new UnsupportedOperationException(called.toString());
                    }
                    storeQueries.incrementAndGet();
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

    private ExecutionId newLiveExecution() {
        ExecutionId id = new ExecutionId(UUID.randomUUID());
        live.add(id);
        return id;
    }

    private CompletableFuture<Void> awaitEnd(ExecutionId id, long millis) {
        return waiting.awaitEnd(id, millis).toCompletableFuture();
    }

    @Test
    void endOnAnotherNodeIsSeenByAllWaiters() throws Exception {
        ExecutionId id = newLiveExecution();
        CompletableFuture<Void> one = awaitEnd(id, 60_000);
        CompletableFuture<Void> other = awaitEnd(id, 60_000);
        live.remove(id);

        one.get(50, TimeUnit.SECONDS);
        other.get(50, TimeUnit.SECONDS);
    }

    @Test
    void localEndWakesTheWaiterAndAWaitTimesOut() throws Exception {
        ExecutionId id = newLiveExecution();
        CompletableFuture<Void> woken = awaitEnd(id, 60_000);
        completions.notifyEnded(id);
        woken.get(50, TimeUnit.SECONDS);

        awaitEnd(newLiveExecution(), 10).get(50, TimeUnit.SECONDS);
    }

    @Test
    void thousandsOfWaitersNeedFewStoreQueries() throws Exception {
        List<ExecutionId> ids = new ArrayList<>();
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            ExecutionId id = newLiveExecution();
            ids.add(id);
            waits.add(awaitEnd(id, 60_000));
        }
        ExecutionId last = newLiveExecution();
        CompletableFuture<Void> end = awaitEnd(last, 60_000);
        live.remove(last);
        end.get(50, TimeUnit.SECONDS);

        assertThat(storeQueries.get()).isLessThan(50);
        assertThat(tasks.get()).isLessThan(50);
        assertThat(waits).noneMatch(CompletableFuture::isDone);
    }
}
