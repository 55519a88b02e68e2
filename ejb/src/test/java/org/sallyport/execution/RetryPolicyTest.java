package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.ToolErrorCode;

class RetryPolicyTest {
    private static final Duration MONTH = Duration.ofDays(30);

    private static RetryPolicy policy(Duration initialDelay, Duration maxDelay) {
        return new RetryPolicy(100, initialDelay, maxDelay, RetryPolicy.defaultCodes(), false);
    }

    @Test
    void delayDoublesUpToItsMaximum() {
        RetryPolicy policy = policy(Duration.ofSeconds(1), Duration.ofSeconds(5));

        assertThat(policy.fullDelayAfter(1)).isEqualTo(Duration.ofSeconds(1));
        assertThat(policy.fullDelayAfter(2)).isEqualTo(Duration.ofSeconds(2));
        assertThat(policy.fullDelayAfter(3)).isEqualTo(Duration.ofSeconds(4));
        assertThat(policy.fullDelayAfter(4)).isEqualTo(Duration.ofSeconds(5));
        assertThat(policy.fullDelayAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void delaysAreBoundedAndNeverDecrease() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            long initial = 100 + (long) (random.nextDouble() * Math.pow(2, random.nextInt(32)));
            long max = initial + (long) (random.nextDouble() * MONTH.toMillis());
            RetryPolicy policy = policy(Duration.ofMillis(initial), Duration.ofMillis(max));
            Duration before = Duration.ofMillis(initial);
            for (int attempt = 1; attempt <= 100; attempt++) {
                Duration full = policy.fullDelayAfter(attempt);
                Duration actual = policy.delayAfter(attempt, random);
                String which = "seed " + seed + ", attempt " + attempt + " of " + policy;
                assertThat(full).as(which).isBetween(before, Duration.ofMillis(max));
                assertThat(actual).as(which).isBetween(full.dividedBy(2), full);
                assertThat(actual).as(which).isGreaterThanOrEqualTo(RetryPolicy.MIN_DELAY.dividedBy(2));
                before = full;
            }
        }
    }

    @Test
    void delaysOfExecutionsThatFailedTogetherDiffer() {
        RetryPolicy policy = policy(Duration.ofSeconds(10), Duration.ofSeconds(10));
        Random random = new Random(1);

        assertThat(random.ints(50)
                        .mapToObj(any -> policy.delayAfter(1, random))
                        .distinct()
                        .count())
                .isGreaterThan(40);
    }

    @Test
    void storedPolicyIsReadBack() {
        for (RetryPolicy policy : Set.of(
                policy(Duration.ofMillis(100), MONTH),
                new RetryPolicy(2, Duration.ofSeconds(1), MONTH, RetryPolicy.allowedCodes(), true),
                new RetryPolicy(1, MONTH, MONTH, Set.of("timeout"), false))) {
            assertThat(RetryPolicy.ofStored(policy.toStoredText())).isEqualTo(policy);
            assertThat(policy.toStoredText()).as("its column").hasSizeLessThan(1_000);
        }
    }

    @Test
    void errorsOfEveryAttemptAndRefusalsCannotBeRetried() {
        assertThat(RetryPolicy.allowedCodes())
                .containsAll(RetryPolicy.defaultCodes())
                .doesNotContain(
                        ErrorCode.SYNTAX_ERROR.code(),
                        ErrorCode.MODULE_NOT_ALLOWED.code(),
                        ErrorCode.NON_DETERMINISTIC_REPLAY.code(),
                        ErrorCode.OUTSIDE_PLAN.code(),
                        ErrorCode.DEAD_LETTER.code(),
                        ErrorCode.WORKER_LOST.code(),
                        ErrorCode.RUNNER_LOST.code(),
                        ErrorCode.REPLAY_FAILED.code(),
                        ToolErrorCode.DENIED.code(),
                        ToolErrorCode.NOT_GRANTED.code(),
                        ToolErrorCode.BUDGET_EXCEEDED.code(),
                        ToolErrorCode.CANCELLED.code());
        assertThat(RetryPolicy.defaultCodes())
                .doesNotContain(ErrorCode.SCRIPT_ERROR.code(), ErrorCode.WALL_CLOCK_LIMIT.code());
    }
}
