package org.sallyport.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.sallyport.testsupport.TimingAssertions;

class OpenLoopTest {
    private static final Duration TIME = Duration.ofMillis(300);

    private final Queue<Long> taken = new ConcurrentLinkedQueue<>();

    @Test
    void operationsStartByTheClockAndNotByTheReplies() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        CompletableFuture<Long> silence = new CompletableFuture<>();
        silence.completeOnTimeout(7L, 6, TimeUnit.SECONDS);
        LoopResult measured = new OpenLoop(100, 1_000).runFor(TIME, arrivals(number -> {
            begun.incrementAndGet();
            return silence;
        }));

        assertThat(begun.get()).isBetween(2, 30);
        assertThat(measured.count()).isEqualTo(begun.get());
        TimingAssertions.assertAtMost(Duration.ofMillis(5_900), measured.elapsed());
        assertThat(taken).hasSize(begun.get());
    }

    @Test
    void operationsInFlightNeverExceedTheLimit() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        CompletableFuture<Long> silence = new CompletableFuture<>();
        silence.completeOnTimeout(7L, 4, TimeUnit.SECONDS);
        new OpenLoop(1_000, 3).runFor(TIME, arrivals(number -> {
            begun.incrementAndGet();
            return silence;
        }));

        assertThat(begun).hasValue(3);
    }

    @Test
    void latencyOfALateOperationCountsFromItsDueTime() throws Exception {
        LoopResult measured = new OpenLoop(1_000, 1)
                .runFor(
                        TIME,
                        arrivals(number -> number == 0
                                ? new CompletableFuture<Long>().completeOnTimeout(7L, 200, TimeUnit.MILLISECONDS)
                                : CompletableFuture.completedFuture(7L)));

        // The second operation was due after one millisecond and was answered without delay.
        assertThat(measured.count()).isGreaterThan(1);
        assertThat(measured.latencies().p50()).isGreaterThan(30);
    }

    @Test
    void failureOrWrongResultEndsTheLoopAndIsThrown() {
        OpenLoop loop = new OpenLoop(100, 8);
        Duration hour = Duration.ofHours(1);
        assertThatThrownBy(() ->
                        loop.runFor(hour, arrivals(number -> CompletableFuture.failedFuture(new IOException("gone")))))
                .isInstanceOf(IOException.class)
                .hasMessage("gone");
        assertThatThrownBy(() -> loop.runFor(hour, arrivals(CompletableFuture::completedFuture)))
                .isInstanceOf(WrongResultException.class)
                .hasMessage("not 7");
    }

    @Test
    void loopWithoutOperationsIsRefused() {
        assertThatThrownBy(() -> new OpenLoop(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new OpenLoop(1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    private AsyncOperation<Long> arrivals(LongFunction<CompletableFuture<Long>> operation) {
        return new AsyncOperation<>() {
            @Override
            public CompletableFuture<Long> start(long number) {
                return operation.apply(number);
            }

            @Override
            public void checkResult(long number, Long answer) throws WrongResultException {
                if (answer != 7) {
                    throw new WrongResultException("not 7");
                }
                taken.add(number);
            }
        };
    }
}
