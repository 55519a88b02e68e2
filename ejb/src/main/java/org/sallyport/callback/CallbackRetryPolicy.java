package org.sallyport.callback;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * When a failed callback is sent again: each delay is twice the previous one, reduced at random by up to half.
 *
 * @param initialDelay the first delay
 * @param maxDelay maximum delay
 * @param maxAttempts number of attempts after which it is given up
 * @param giveUpAfter time after which it is given up
 */
public record CallbackRetryPolicy(Duration initialDelay, Duration maxDelay, int maxAttempts, Duration giveUpAfter) {

    /**
     * Returns the next delay; empty when the callback is given up.
     *
     * @param attempt how often it was sent
     * @param passed time since it became due
     */
    Optional<Duration> nextDelay(int attempt, Duration passed, RandomGenerator random) {
        if (attempt >= maxAttempts || passed.compareTo(giveUpAfter) >= 0) {
            return Optional.empty();
        }
        long whole = Math.min(maxDelay.toMillis(), initialDelay.toMillis() << Math.min(attempt - 1, 30));
        return Optional.of(Duration.ofMillis(whole - (long) (random.nextDouble() * whole / 2)));
    }
}
