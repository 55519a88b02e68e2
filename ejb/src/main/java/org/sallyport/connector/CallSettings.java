package org.sallyport.connector;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.sallyport.catalog.BackendNames;

/**
 * What every kind of backend lets one set for its calls.
 *
 * @param concurrent calls at one time
 * @param waiting calls that may wait for one of those to end; more are refused at once
 * @param timeout how long one call may take, with all its attempts
 * @param failures attempts in a row that the backend does not answer before no more are sent for a while
 * @param pause how long that is
 * @param retry how often a call is sent that may be sent twice
 * @param fallback which backends are asked in its place, in this order, while it cannot be
 * @param trustHints whether what the server says of the effects of its tools counts
 */
public record CallSettings(
        int concurrent,
        int waiting,
        Duration timeout,
        int failures,
        Duration pause,
        Retry retry,
        List<String> fallback,
        boolean trustHints) {
    private static final String FALLBACK = "fallback";

    /** The names of these settings. */
    public static final Set<String> NAMES = Set.of(
            "concurrency",
            "queue",
            "timeoutMillis",
            "breakerFailures",
            "breakerMillis",
            "retryAttempts",
            "retryMillis",
            FALLBACK,
            "trustHints");

    private static final int HOUR = 3_600_000;
    private static final int MINUTE = 60_000;
    private static final int MOST_ATTEMPTS = 10;
    private static final int LONGEST_CHAIN = 5;

    public CallSettings {
        fallback = List.copyOf(fallback);
    }

    /** The same, but that the hints count. */
    CallSettings trustingHints() {
        return new CallSettings(concurrent, waiting, timeout, failures, pause, retry, fallback, true);
    }

    /** Reads them, each with its default. */
    public static CallSettings of(BackendSettings settings) {
        return new CallSettings(
                settings.whole("concurrency", 16, 1, 1_000),
                settings.whole("queue", 256, 0, 100_000),
                Duration.ofMillis(settings.whole("timeoutMillis", MINUTE, 1, HOUR)),
                settings.whole("breakerFailures", 5, 1, 1_000),
                Duration.ofMillis(settings.whole("breakerMillis", 10_000, 1, HOUR)),
                new Retry(
                        settings.whole("retryAttempts", 1, 1, MOST_ATTEMPTS),
                        Duration.ofMillis(settings.whole("retryMillis", 200, 1, MINUTE))),
                fallback(settings),
                settings.flag("trustHints", false));
    }

    private static List<String> fallback(BackendSettings settings) {
        List<String> names = settings.texts(FALLBACK);
        if (names.size() > LONGEST_CHAIN || Set.copyOf(names).size() < names.size()) {
            throw settings.fault(FALLBACK, "must be at most " + LONGEST_CHAIN + " backends, each once");
        }
        names.forEach(name -> BackendNames.fault(name).ifPresent(fault -> {
            throw settings.fault(FALLBACK, "has '" + name + "', and a name " + fault);
        }));
        return names;
    }
}
