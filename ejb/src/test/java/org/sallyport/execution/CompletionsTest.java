package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class CompletionsTest {
    private final Completions completions = new Completions();
    private final ExecutionId id = new ExecutionId(UUID.randomUUID());
    private final AtomicInteger wakeUps = new AtomicInteger();

    @Test
    void whoWaitsIsWokenOnce() {
        Runnable forget = completions.await(id, wakeUps::incrementAndGet);
        completions.ended(id);
        completions.ended(id);
        forget.run();

        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void whoHasStoppedWaitingIsNotWoken() {
        completions.await(id, wakeUps::incrementAndGet).run();
        completions.ended(id);

        assertThat(wakeUps).hasValue(0);
    }

    @Test
    void whoComesAMomentTooLateIsWokenAtOnce() {
        completions.ended(id);
        completions.await(id, wakeUps::incrementAndGet);

        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void whatHasEndedLongAgoIsForgotten() {
        completions.ended(id);
        for (int i = 0; i < 1_000; i++) {
            completions.ended(new ExecutionId(UUID.randomUUID()));
        }
        completions.await(id, wakeUps::incrementAndGet);

        assertThat(wakeUps).hasValue(0);
    }

    @RepeatedTest(200)
    void endAndWaitAtTheSameMomentMissNothing() throws Exception {
        CountDownLatch woken = new CountDownLatch(1);
        Thread ending = new Thread(() -> completions.ended(id));
        ending.start();
        completions.await(id, woken::countDown);

        assertThat(woken.await(60, TimeUnit.SECONDS)).isTrue();
        ending.join();
    }
}
