package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;

class DrainedThreadsTest {
    @Test
    void workThatHasBegunEndsBeforeTheThreadsAreClosed() throws Exception {
        DrainedThreads threads = new DrainedThreads("test", 1);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        threads.execute(() -> {
            begun.countDown();
            try {
                ended.complete(mayEnd.await(60, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                ended.completeExceptionally(e);
            }
        });
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> {
            threads.close();
            return ended.isDone();
        });
        ConcurrencyTestUtil.awaitCondition(Duration.ofSeconds(60), () -> isClosing(threads));
        assertThat(closed).isNotDone();
        mayEnd.countDown();

        assertThat(closed.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ended.get(60, TimeUnit.SECONDS)).as("it is not interrupted").isTrue();
        assertThatThrownBy(() -> threads.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    private static boolean isClosing(DrainedThreads threads) {
        try {
            threads.execute(() -> {});
            return false;
        } catch (RejectedExecutionException e) {
            return true;
        }
    }
}
