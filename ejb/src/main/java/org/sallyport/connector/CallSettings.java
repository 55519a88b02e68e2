package org.sallyport.connector;

import java.time.Duration;
import java.util.Set;

/**
 * What every kind of backend lets one set for its calls.
 *
 * @param concurrent calls at one time
 * @param waiting calls that may wait for one of those to end; more are refused at once
 * @param timeout how long one call may take
 * @param failures calls in a row that the backend does not answer before no more are sent for a while
 * @param pause how long that is
 * @param trustHints whether what the server says of the effects of its tools counts
 */
public record CallSettings(
        int concurrent, int waiting, Duration timeout, int failures, Duration pause, boolean trustHints) {
    /** The names of these settings. */
    public static final Set<String> NAMES =
            Set.of("concurrency", "queue", "timeoutMillis", "breakerFailures", "breakerMillis", "trustHints");

    private static final int HOUR = 3_600_000;

    /** The same, but that the hints count. */
    CallSettings trustingHints() {
        return new CallSettings(concurrent, waiting, timeout, failures, pause, true);
    }

    /** Reads them, each with its default. */
    public static CallSettings of(BackendSettings settings) {
        return new CallSettings(
                settings.whole("concurrency", 16, 1, 1_000),
                settings.whole("queue", 256, 0, 100_000),
                Duration.ofMillis(settings.whole("timeoutMillis", 60_000, 1, HOUR)),
                settings.whole("breakerFailures", 5, 1, 1_000),
                Duration.ofMillis(settings.whole("breakerMillis", 10_000, 1, HOUR)),
                settings.flag("trustHints", false));
    }
}
