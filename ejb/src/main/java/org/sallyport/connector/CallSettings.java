package org.sallyport.connector;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.sallyport.catalog.BackendNameRules;

/**
 * Call settings that every kind of backend supports.
 *
 * @param maxConcurrent maximum number of concurrent calls
 * @param maxQueued maximum number of calls that wait for a running call to end; further calls are refused immediately
 * @param timeout maximum duration of a call, including all its attempts
 * @param breakerFailureThreshold number of consecutive unanswered attempts that opens the circuit breaker
 * @param breakerOpenDuration how long the circuit breaker stays open
 * @param retry retry policy for repeatable calls
 * @param fallback backends to call instead while this one is unavailable, in order
 * @param trustHints whether the hints that the server declares for its tools are used
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

    /** Returns a copy that trusts the declared hints. */
    CallSettings withTrustedHints() {
        return new CallSettings(
                maxConcurrent, maxQueued, timeout, breakerFailureThreshold, breakerOpenDuration, retry, fallback, true);
    }

    /** Reads the settings; absent settings get their defaults. */
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
        names.forEach(name -> BackendNameRules.validationError(name).ifPresent(error -> {
            throw settings.invalid(FALLBACK, "has '" + name + "', but a name " + error);
        }));
        return names;
    }
}
