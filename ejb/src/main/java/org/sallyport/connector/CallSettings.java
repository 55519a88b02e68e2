package org.sallyport.connector;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.sallyport.catalog.BackendNameRules;

/**
 * What every kind of backend lets one set for its calls.
 *
 * @param maxConcurrent calls at one time
 * @param maxQueued calls that may wait for one of those to end; more are refused at once
 * @param timeout how long one call may take, with all its attempts
 * @param breakerFailureThreshold attempts in a row that the backend does not answer before no more are sent for a while
 * @param breakerOpenDuration how long that is
 * @param retry how often a call is sent that may be sent twice
 * @param fallback which backends are asked in its place, in this order, while it cannot be
 * @param trustHints whether what the server says of the effects of its tools counts
 */
public record CallSettings(
        int maxConcurrent,
        int maxQueued,
        Duration timeout,
        int breakerFailureThreshold,
        Duration breakerOpenDuration,
        RetrySettings retry,
        List<String> fallback,
        boolean trustHints) {
    private static final String FALLBACK = "fallback";

    /** The names of these settings. */
    public static final Set<String> SETTING_NAMES = Set.of(
            "concurrency",
            "queue",
            "timeoutMillis",
            "breakerFailures",
            "breakerMillis",
            "retryAttempts",
            "retryMillis",
            FALLBACK,
            "trustHints");

    private static final int HOUR_MILLIS = 3_600_000;
    private static final int MINUTE_MILLIS = 60_000;
    private static final int MAX_ATTEMPTS = 10;
    private static final int MAX_FALLBACKS = 5;

    public CallSettings {
        fallback = List.copyOf(fallback);
    }

    /** The same, but that the hints count. */
    CallSettings withTrustedHints() {
        return new CallSettings(
                maxConcurrent, maxQueued, timeout, breakerFailureThreshold, breakerOpenDuration, retry, fallback, true);
    }

    /** Reads them, each with its default. */
    public static CallSettings of(BackendSettings settings) {
        return new CallSettings(
                settings.integer("concurrency", 16, 1, 1_000),
                settings.integer("queue", 256, 0, 100_000),
                Duration.ofMillis(settings.integer("timeoutMillis", MINUTE_MILLIS, 1, HOUR_MILLIS)),
                settings.integer("breakerFailures", 5, 1, 1_000),
                Duration.ofMillis(settings.integer("breakerMillis", 10_000, 1, HOUR_MILLIS)),
                new RetrySettings(
                        settings.integer("retryAttempts", 1, 1, MAX_ATTEMPTS),
                        Duration.ofMillis(settings.integer("retryMillis", 200, 1, MINUTE_MILLIS))),
                fallback(settings),
                settings.flag("trustHints", false));
    }

    private static List<String> fallback(BackendSettings settings) {
        List<String> names = settings.textList(FALLBACK);
        if (names.size() > MAX_FALLBACKS || Set.copyOf(names).size() < names.size()) {
            throw settings.invalid(FALLBACK, "must be at most " + MAX_FALLBACKS + " backends, each once");
        }
        names.forEach(name -> BackendNameRules.validationError(name).ifPresent(fault -> {
            throw settings.invalid(FALLBACK, "has '" + name + "', and a name " + fault);
        }));
        return names;
    }
}
