package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class CompletionNotifierTest {
    private final CompletionNotifier completions = new CompletionNotifier();
    private final ExecutionId id = new ExecutionId(UUID.randomUUID());
    private final AtomicInteger wakeUps = new AtomicInteger();

    @Test
    void waiterIsNotifiedOnce() {
        Runnable forget = completions.subscribe(id, wakeUps::incrementAndGet);
        completions.notifyEnded(id);
        completions.notifyEnded(id);
        forget.run();

        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void unsubscribedWaiterIsNotNotified() {
        completions.subscribe(id, wakeUps::incrementAndGet).run();
        completions.notifyEnded(id);

        assertThat(wakeUps).hasValue(0);
    }

    @Test
    void lateSubscriberIsNotifiedAtOnce() {
        completions.notifyEnded(id);
        completions.subscribe(id, wakeUps::incrementAndGet);

        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void oldCompletionIsForgotten() {
        completions.notifyEnded(id);
        for (int i = 0; i < 1_000; i++) {
            completions.notifyEnded(new ExecutionId(UUID.randomUUID()));
        }
        completions.subscribe(id, wakeUps::incrementAndGet);

        assertThat(wakeUps).hasValue(0);
    }

    @RepeatedTest(200)
    void concurrentEndAndSubscribeLoseNoNotification() throws Exception {
        CountDownLatch woken = new CountDownLatch(1);
        Thread ending = new Thread(() -> completions.notifyEnded(id));
        ending.start();
        completions.subscribe(id, woken::countDown);

        assertThat(woken.await(60, TimeUnit.SECONDS)).isTrue();
        ending.join();
    }
}
