package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CapabilityContractChecker.BreachKind;
import org.sallyport.catalog.CapabilityContractChecker.ContractBreach;
import org.sallyport.execution.CapabilityRef;

class ContractBreachCacheTest {
    private static final Optional<ContractBreach> GONE =
            Optional.of(new ContractBreach("b.x", BreachKind.GONE, "gone", Optional.empty()));

    private final ContractBreachCache known = new ContractBreachCache(() -> Instant.EPOCH);
    private final AtomicInteger asked = new AtomicInteger();

    private static ContractBreachCache.ContractBreachKey question(String tool) {
        return new ContractBreachCache.ContractBreachKey(
                "t", new CapabilityRef("a", "1.0.0"), tool, Optional.of("now"), Optional.of("now"));
    }

    private Optional<ContractBreach> find() {
        asked.incrementAndGet();
        return GONE;
    }

    @Test
    void failedLookupIsRetried() {
        assertThatThrownBy(() -> known.get(question("b.x"), () -> {
                    throw new IllegalStateException("away");
                }))
                .hasMessage("away");
        assertThat(known.get(question("b.x"), this::find)).isEqualTo(GONE);
    }

    @Test
    void leastRecentlyUsedEntryIsEvicted() {
        known.get(question("first"), this::find);
        for (int other = 0; other < ContractBreachCache.MAX_ENTRIES; other++) {
            known.get(question("b.x" + other), this::find);
        }
        known.get(question("b.x1"), this::find);
        assertThat(asked).hasValue(ContractBreachCache.MAX_ENTRIES + 1);
        known.get(question("first"), this::find);
        assertThat(asked).hasValue(ContractBreachCache.MAX_ENTRIES + 2);
    }

    @Test
    void concurrentLookupsComputeOnce() throws InterruptedException {
        CountDownLatch finding = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<CompletableFuture<Optional<ContractBreach>>> all = new ArrayList<>();
            all.add(CompletableFuture.supplyAsync(
                    () -> known.get(question("b.x"), () -> {
                        finding.countDown();
                        await(go);
                        return find();
                    }),
                    threads));
            assertThat(finding.await(60, TimeUnit.SECONDS)).isTrue();
            for (int other = 0; other < 10; other++) {
                all.add(CompletableFuture.supplyAsync(() -> known.get(question("b.x"), this::find), threads));
            }
            go.countDown();
            assertThat(all).allSatisfy(one -> assertThat(one.join()).isEqualTo(GONE));
            assertThat(asked).hasValue(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void concurrentWaiterReceivesTheOriginalFailure() throws InterruptedException {
        CountDownLatch finding = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Thread first = new Thread(() -> assertThatThrownBy(() -> known.get(question("b.x"), () -> {
                    finding.countDown();
                    await(go);
                    throw new IllegalStateException("away");
                }))
                .hasMessage("away"));
        first.start();
        assertThat(finding.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Optional<ContractBreach>> heard = new CompletableFuture<>();
        Thread second = new Thread(() -> {
            try {
                heard.complete(known.get(question("b.x"), this::find));
            } catch (IllegalStateException e) {
                heard.completeExceptionally(e);
            } catch (RuntimeException e) {
                heard.completeExceptionally(new AssertionError("another failure", e));
            }
        });
        second.start();
        while (second.getState() != Thread.State.WAITING) {
            LockSupport.parkNanos(1_000_000);
        }
        go.countDown();
        assertThatThrownBy(heard::join).hasRootCauseMessage("away").hasCauseInstanceOf(IllegalStateException.class);
        first.join();
        second.join();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
