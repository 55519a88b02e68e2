package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;

class ServerExecutorsTest {
    private static final int CONNECTIONS = 4;
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final ServerExecutors executors = new ServerExecutors(CONNECTIONS);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @AfterEach
    void close() {
        mayEnd.countDown();
        executors.close();
    }

    private void awaitEnd() {
        try {
            mayEnd.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void repeatedTaskNeverRunsTwiceAtOnce() throws InterruptedException {
        AtomicInteger stuck = new AtomicInteger();
        AtomicInteger other = new AtomicInteger();
        executors.scheduleRepeated(
                () -> {
                    stuck.incrementAndGet();
                    awaitEnd();
                },
                PAUSE);
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> stuck.get() > 0);
        executors.scheduleRepeated(other::incrementAndGet, PAUSE);

        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> other.get() >= 20);
        assertThat(stuck).hasValue(1);

        mayEnd.countDown();
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> stuck.get() > 1);
    }

    @Test
    void repeatedTaskRunsAgainAfterAFailure() throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        executors.scheduleRepeated(
                () -> {
                    runs.incrementAndGet();
                    throw new IllegalStateException("the task of a test fails");
                },
                PAUSE);
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> runs.get() > 1);
    }

    @Test
    void stuckSendsLeaveThreadsForOtherWork() throws Exception {
        AtomicInteger sending = new AtomicInteger();
        int sends = 2 * CONNECTIONS;
        for (int i = 0; i < sends; i++) {
            executors
                    .runs()
                    .execute(() -> executors.callerSends().execute(() -> {
                        sending.incrementAndGet();
                        awaitEnd();
                    }));
        }
        ConcurrencyTestUtil.awaitCondition(TIMEOUT, () -> sending.get() == sends);

        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {}, executors.runs());
        assertThat(other).succeedsWithin(TIMEOUT);
    }

    @Test
    void sendRunsOnTheCallingThread() {
        Thread[] sender = new Thread[1];
        executors.callerSends().execute(() -> sender[0] = Thread.currentThread());
        assertThat(sender[0]).isSameAs(Thread.currentThread());
    }

    @Test
    void sendsAreRejectedWhenTooManyWait() {
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        executors.sends().execute(this::awaitEnd);
                    }
                })
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void waitingBackendsAndRequestsLeaveThreadsForExecutions() throws Exception {
        for (int i = 0; i < 100; i++) {
            executors.connectors().execute(this::awaitEnd);
            executors.requests().execute(this::awaitEnd);
        }
        executors.runs().submit(() -> {}).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }
}
