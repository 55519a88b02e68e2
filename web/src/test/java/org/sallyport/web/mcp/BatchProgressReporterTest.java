package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.web.api.BatchFacade.BatchCounts;

class BatchProgressReporterTest {
    private static final long LONG = 600_000;

    private final Deque<Runnable> timers = new ArrayDeque<>();
    private final List<BatchCounts> reported = new ArrayList<>();
    private BatchCounts counts = new BatchCounts(0, 2);
    private boolean unavailable;
    private boolean clientGone;

    private CompletionStage<Void> start(long millis) {
        return new BatchProgressReporter(this::timer, this::counts, reported::add, () -> clientGone, millis).report();
    }

    private CompletionStage<Void> timer(long millis) {
        CompletableFuture<Void> passed = new CompletableFuture<>();
        timers.add(() -> passed.complete(null));
        return passed;
    }

    private BatchCounts counts() {
        if (unavailable) {
            throw new StoreUnavailableException("down", new IllegalStateException());
        }
        return counts;
    }

    private void pass() {
        timers.remove().run();
    }

    @Test
    void reportsUntilTheBatchHasEnded() {
        CompletionStage<Void> done = start(LONG);
        pass();
        counts = new BatchCounts(1, 2);
        pass();
        assertThat(done.toCompletableFuture()).isNotDone();
        counts = new BatchCounts(2, 2);
        pass();

        assertThat(done.toCompletableFuture()).isCompleted();
        assertThat(reported).containsExactly(new BatchCounts(0, 2), new BatchCounts(1, 2), new BatchCounts(2, 2));
        assertThat(timers).isEmpty();
    }

    @Test
    void continuesAfterTheStoreWasUnavailable() {
        unavailable = true;
        CompletionStage<Void> done = start(LONG);
        pass();
        pass();
        assertThat(reported).isEmpty();
        unavailable = false;
        counts = new BatchCounts(2, 2);
        pass();

        assertThat(done.toCompletableFuture()).isCompleted();
        assertThat(reported).containsExactly(new BatchCounts(2, 2));
    }

    @Test
    void endsWhenTheTimeHasPassedOrTheClientIsGone() {
        CompletionStage<Void> late = start(0);
        pass();
        assertThat(late.toCompletableFuture()).isCompleted();
        clientGone = true;
        CompletionStage<Void> alone = start(LONG);
        pass();

        assertThat(alone.toCompletableFuture()).isCompleted();
        assertThat(timers).isEmpty();
    }

    @Test
    void failsWithTheTimerInsteadOfWaitingForever() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletionStage<Void> done = new BatchProgressReporter(
                        millis -> {
                            if (first.isDone()) {
                                throw new RejectedExecutionException("the node stops");
                            }
                            return first;
                        },
                        this::counts,
                        reported::add,
                        () -> false,
                        LONG)
                .report();
        first.complete(null);

        assertThat(done.toCompletableFuture()).isCompletedExceptionally();
    }
}
