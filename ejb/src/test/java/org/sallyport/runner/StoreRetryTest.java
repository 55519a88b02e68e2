package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;

class StoreRetryTest {
    private static final String DONE = "done";
    private static final String REFUSED = "refused";
    private static final String FAULT = "fault";

    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
    private final StoreRetry retry = new StoreRetry(scheduler, scheduler);
    private final Queue<Supplier<String>> tries = new ArrayDeque<>();
    private final AtomicInteger proofs = new AtomicInteger();

    @AfterEach
    void stopThreads() {
        scheduler.shutdownNow();
    }

    private static String unavailable(boolean maybeStored) {
        throw new StoreUnavailableException("away, as the test says", new IllegalStateException(), maybeStored);
    }

    private static String fault() {
        throw new IllegalStateException("not to be written, as the test says");
    }

    @SafeVarargs
    private void expectTries(Supplier<String>... next) {
        tries.addAll(List.of(next));
    }

    /** The next of the {@link #tries}; the last one is repeated. */
    private String nextTry() {
        Supplier<String> next = tries.size() > 1 ? tries.remove() : tries.element();
        return next.get();
    }

    private StoreRetry.StoreWrite<String> write(Optional<String> proof) {
        return new StoreRetry.StoreWrite<>("the row of the test", this::nextTry, REFUSED::equals, () -> {
            proofs.incrementAndGet();
            return proof;
        });
    }

    private void assertResult(Optional<String> proof, String expected) {
        CompletableFuture<String> result = new CompletableFuture<>();
        retry.later(List.of(write(proof)), result::complete, () -> result.complete(FAULT));
        assertThat(result).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(expected);
    }

    @Test
    void accessIsRepeatedWhileTheStoreIsUnavailable() {
        expectTries(() -> unavailable(false), () -> unavailable(true), () -> DONE);
        assertThat(StoreRetry.callWhileUnavailable(this::nextTry, () -> false)).contains(DONE);
    }

    @Test
    void abandonedAccessIsNotRepeated() {
        expectTries(() -> unavailable(false));
        AtomicInteger asked = new AtomicInteger();
        assertThat(StoreRetry.callWhileUnavailable(this::nextTry, () -> asked.incrementAndGet() > 2))
                .isEmpty();
        assertThat(asked).hasValue(3);
    }

    @Test
    void interruptedThreadStopsWaiting() {
        expectTries(() -> unavailable(false));
        Thread.currentThread().interrupt();
        assertThat(StoreRetry.callWhileUnavailable(this::nextTry, () -> false)).isEmpty();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void otherExceptionIsThrownAtOnce() {
        expectTries(StoreRetryTest::fault, () -> DONE);
        assertThatThrownBy(() -> StoreRetry.callWhileUnavailable(this::nextTry, () -> false))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void accessIsRepeatedAfterTwoFaultsAndFailsAfterThree() {
        expectTries(StoreRetryTest::fault, StoreRetryTest::fault, () -> DONE);
        assertThat(StoreRetry.callDespiteFaults(this::nextTry, () -> false)).contains(DONE);
        tries.clear();
        expectTries(StoreRetryTest::fault);
        assertThatThrownBy(() -> StoreRetry.callDespiteFaults(this::nextTry, () -> false))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusalAfterALostAnswerIsDisproved() {
        expectTries(() -> unavailable(true), () -> unavailable(false), () -> REFUSED);
        assertResult(Optional.of(DONE), DONE);
    }

    @Test
    void refusalAfterAFaultIsDisproved() {
        expectTries(StoreRetryTest::fault, () -> REFUSED);
        assertResult(Optional.of(DONE), DONE);
    }

    @Test
    void refusalAfterALostAnswerIsTrueWithoutAProof() {
        expectTries(() -> unavailable(true), () -> REFUSED);
        assertResult(Optional.empty(), REFUSED);
        assertThat(proofs).hasValue(1);
    }

    @Test
    void refusalIsTrueWhenNoEarlierTryMayBeStored() {
        expectTries(() -> unavailable(false), () -> REFUSED);
        assertResult(Optional.of(DONE), REFUSED);
        assertThat(proofs).hasValue(0);
    }

    @Test
    void storeThatIsUnavailableForTheProofIsAskedAgain() {
        expectTries(() -> unavailable(true), () -> REFUSED);
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<String> result = new CompletableFuture<>();
        StoreRetry.StoreWrite<String> write = new StoreRetry.StoreWrite<>(
                "the row of the test",
                this::nextTry,
                REFUSED::equals,
                () -> Optional.of(asked.incrementAndGet() < 2 ? unavailable(false) : DONE));
        retry.later(List.of(write), result::complete, () -> result.complete(FAULT));
        assertThat(result).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(DONE);
    }

    @Test
    void nextWayFollowsThreeFaultsAndKnowsThatTheFirstMayBeStored() {
        expectTries(
                () -> unavailable(true),
                StoreRetryTest::fault,
                StoreRetryTest::fault,
                StoreRetryTest::fault,
                () -> REFUSED);
        CompletableFuture<String> result = new CompletableFuture<>();
        retry.later(
                List.of(write(Optional.empty()), write(Optional.of(DONE))),
                result::complete,
                () -> result.complete(FAULT));
        assertThat(result).succeedsWithin(Duration.ofSeconds(60)).isEqualTo(DONE);
    }

    @Test
    void faultsOfAllWaysAreReported() {
        expectTries(StoreRetryTest::fault);
        assertResult(Optional.of(DONE), FAULT);
    }
}
