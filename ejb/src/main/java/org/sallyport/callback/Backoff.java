package org.sallyport.callback;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * When what was not taken is sent again: each wait is twice the one before, less up to half by chance.
 *
 * @param first the first wait
 * @param longest no wait is longer
 * @param attempts after so many it is given up
 * @param patience after so long it is given up
 */
public record Backoff(Duration first, Duration longest, int attempts, Duration patience) {

    /**
     * The next wait, or none when it is given up.
     *
     * @param attempt how often it was sent
     * @param passed since it became due
     */
    Optional<Duration> pause(int attempt, Duration passed, RandomGenerator random) {
        if (attempt >= attempts || passed.compareTo(patience) >= 0) {
            return Optional.empty();
        }
        long whole = Math.min(longest.toMillis(), first.toMillis() << Math.min(attempt - 1, 30));
        return Optional.of(Duration.ofMillis(whole - (long) (random.nextDouble() * whole / 2)));
    }
}
