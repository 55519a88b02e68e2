package org.sallyport.web.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HealthCacheTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE);
    private final AtomicInteger checks = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endChecks() {
        released.countDown();
        threads.shutdownNow();
    }

    private static ComponentHealth up() {
        return new ComponentHealth(true, JsonNodeFactory.instance.objectNode());
    }

    private void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private ComponentHealth checkUntilReleased() {
        checks.incrementAndGet();
        begun.countDown();
        try {
            assertThat(released.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return up();
    }

    @Test
    void manyRequestsCauseOneCheckASecond() {
        HealthCache cache = new HealthCache(
                () -> {
                    checks.incrementAndGet();
                    return up();
                },
                now::get);
        for (int i = 0; i < 1_000; i++) {
            assertThat(cache.get().up()).isTrue();
        }
        assertThat(checks).hasValue(1);

        advance(HealthCache.MAX_AGE);
        cache.get();
        cache.get();
        assertThat(checks).hasValue(2);
    }

    @Test
    void requestsAtOneTimeShareACheck() throws Exception {
        HealthCache cache = new HealthCache(this::checkUntilReleased, now::get);
        List<CompletableFuture<ComponentHealth>> requests = Stream.generate(
                        () -> CompletableFuture.supplyAsync(cache::get, threads))
                .limit(8)
                .toList();
        begun.await();
        released.countDown();

        for (CompletableFuture<ComponentHealth> request : requests) {
            assertThat(request.get(60, TimeUnit.SECONDS).up()).isTrue();
        }
        assertThat(checks).hasValue(1);
    }

    @Test
    void requestsDuringACheckGetTheLastResult() throws Exception {
        AtomicInteger results = new AtomicInteger();
        HealthCache cache = new HealthCache(
                () -> results.getAndIncrement() == 0 ? ComponentHealth.down("at first") : checkUntilReleased(),
                now::get);
        assertThat(cache.get().up()).isFalse();
        advance(HealthCache.MAX_AGE);
        CompletableFuture<ComponentHealth> second = CompletableFuture.supplyAsync(cache::get, threads);
        begun.await();

        assertThat(cache.get().data().path("failure").asText()).isEqualTo("at first");
        released.countDown();
        assertThat(second.get(60, TimeUnit.SECONDS).up()).isTrue();
        assertThat(cache.get().up()).isTrue();
    }

    @Test
    void checkThatDoesNotEndIsAFailure() throws Exception {
        HealthCache cache = new HealthCache(this::checkUntilReleased, now::get);
        CompletableFuture<ComponentHealth> first = CompletableFuture.supplyAsync(cache::get, threads);
        begun.await();
        advance(HealthCache.MAX_CHECK_TIME);

        assertThat(cache.get().data().path("failure").asText()).isEqualTo("the check takes longer than 3 seconds");
        assertThat(checks).hasValue(1);
        released.countDown();
        assertThat(first.get(60, TimeUnit.SECONDS).up()).isTrue();
    }

    @Test
    void checkThatThrowsIsAFailureForASecond() {
        HealthCache cache = new HealthCache(
                () -> {
                    if (checks.incrementAndGet() == 1) {
                        throw new IllegalStateException("a fault");
                    }
                    return up();
                },
                now::get);
        assertThatThrownBy(cache::get).hasMessage("a fault");
        assertThat(cache.get().up()).isFalse();
        advance(HealthCache.MAX_AGE);

        assertThat(cache.get().up()).isTrue();
    }
}
