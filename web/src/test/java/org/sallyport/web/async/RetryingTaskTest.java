package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;

class RetryingTaskTest {
    private final List<Long> pauses = new ArrayList<>();
    private final RetryingTask retryingTask = new RetryingTask(millis -> {
        pauses.add(millis);
        return CompletableFuture.completedFuture(null);
    });
    private int tries;
    private int givenUp;

    private void failing(int times) {
        if (++tries <= times) {
            throw new StoreUnavailableException("away", new IllegalStateException());
        }
    }

    @Test
    void taskIsRetriedUntilTheDatabaseIsBack() {
        retryingTask.runWithRetries("fail", () -> failing(3), () -> givenUp++);

        assertThat(tries).isEqualTo(4);
        assertThat(givenUp).isZero();
        assertThat(pauses).hasSize(3).isSorted();
    }

    @Test
    void successfulTaskRunsOnce() {
        retryingTask.runWithRetries("fail", () -> failing(0), () -> givenUp++);

        assertThat(tries).isEqualTo(1);
        assertThat(pauses).isEmpty();
    }

    @Test
    void taskIsGivenUpAfterTheMaximumAttempts() {
        retryingTask.runWithRetries("fail", () -> failing(Integer.MAX_VALUE), () -> givenUp++);

        assertThat(tries).isEqualTo(RetryingTask.MAX_ATTEMPTS);
        assertThat(givenUp).isEqualTo(1);
    }
}
