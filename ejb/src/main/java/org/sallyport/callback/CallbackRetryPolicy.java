package org.sallyport.callback;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * When what was not taken is sent again: each wait is twice the one before, less up to half by chance.
 *
 * @param initialDelay the first wait
 * @param maxDelay no wait is longer
 * @param maxAttempts after so many it is given up
 * @param giveUpAfter after so long it is given up
 */
public record CallbackRetryPolicy(Duration initialDelay, Duration maxDelay, int maxAttempts, Duration giveUpAfter) {

    /**
     * The next wait, or none when it is given up.
     *
     * @param attempt how often it was sent
     * @param passed since it became due
     */
    Optional<Duration> nextDelay(int attempt, Duration passed, RandomGenerator random) {
        if (attempt >= maxAttempts || passed.compareTo(giveUpAfter) >= 0) {
            return Optional.empty();
        }
        long whole = Math.min(maxDelay.toMillis(), initialDelay.toMillis() << Math.min(attempt - 1, 30));
        return Optional.of(Duration.ofMillis(whole - (long) (random.nextDouble() * whole / 2)));
    }
}
