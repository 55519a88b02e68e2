package org.sallyport.submission;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Setting;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.ExecutionLimits;

/** Resolves requested limits into effective limits. Thread-safe. */
final class LimitResolver {
    /** Minimum per limit, where an execution can do without; all others need at least 1. */
    private static final Map<AdditionalLimit, Integer> MIN_VALUES =
            Map.of(AdditionalLimit.ARTIFACTS, 0, AdditionalLimit.EVENTS, 0);

    private final Configuration configuration;

    /**
     * Bounds of a limit.
     *
     * @param defaultSetting the value when none is requested
     * @param maxSetting the highest value that may be requested
     */
    private record LimitBounds(Setting<Long> defaultSetting, Setting<Long> maxSetting) {}

    LimitResolver(Configuration configuration) {
        this.configuration = configuration;
    }

    /**
     * Returns the effective limits. Throws {@link InvalidSubmissionException} when a requested limit is below its
     * minimum or above its maximum.
     */
    ExecutionLimits resolve(RequestedLimits asked) {
        return new ExecutionLimits(
                resolve(
                        "wallMillis",
                        asked.wallMillis(),
                        1,
                        configuration.get(LimitSettings.DEFAULT_WALL_TIME).toMillis(),
                        configuration.get(LimitSettings.MAX_WALL_TIME).toMillis(),
                        LimitSettings.MAX_WALL_TIME),
                resolve(
                        "cpuMillis",
                        asked.cpuMillis(),
                        1,
                        configuration.get(LimitSettings.DEFAULT_CPU_TIME).toMillis(),
                        configuration.get(LimitSettings.MAX_CPU_TIME).toMillis(),
                        LimitSettings.MAX_CPU_TIME),
                number(
                        "heapBytes",
                        asked.heapBytes(),
                        1,
                        LimitSettings.DEFAULT_HEAP_BYTES,
                        LimitSettings.MAX_HEAP_BYTES),
                (int) number(
                        "toolCalls",
                        asked.toolCalls(),
                        0,
                        LimitSettings.DEFAULT_TOOL_CALLS,
                        LimitSettings.MAX_TOOL_CALLS),
                (int) number(
                        "outputChars",
                        asked.outputChars(),
                        0,
                        LimitSettings.DEFAULT_OUTPUT_CHARS,
                        LimitSettings.MAX_OUTPUT_CHARS),
                asked.cost(),
                further(asked.further()));
    }

    private Map<AdditionalLimit, Integer> further(Map<AdditionalLimit, Long> asked) {
        Map<AdditionalLimit, Integer> further = new EnumMap<>(AdditionalLimit.class);
        asked.forEach((limit, value) -> {
            if (value < MIN_VALUES.getOrDefault(limit, 1) || value > maxAllowed(limit)) {
                throw refused(
                        limit.member(),
                        MIN_VALUES.getOrDefault(limit, 1),
                        maxAllowed(limit),
                        bounds(limit).maxSetting(),
                        value);
            }
            further.put(limit, value.intValue());
        });
        return further;
    }

    /** The default is always allowed, even if it is above the configured maximum. */
    private long maxAllowed(AdditionalLimit limit) {
        return Math.max(
                configuration.get(bounds(limit).defaultSetting()),
                configuration.get(bounds(limit).maxSetting()));
    }

    private static LimitBounds bounds(AdditionalLimit limit) {
        return switch (limit) {
            case CONCURRENT_CALLS ->
                new LimitBounds(LimitSettings.DEFAULT_CONCURRENT_CALLS, LimitSettings.MAX_CONCURRENT_CALLS);
            case RESULT_CHARS -> new LimitBounds(LimitSettings.DEFAULT_RESULT_CHARS, LimitSettings.MAX_RESULT_CHARS);
            case ARGUMENT_CHARS ->
                new LimitBounds(LimitSettings.DEFAULT_CALL_ARGUMENT_CHARS, LimitSettings.MAX_CALL_ARGUMENT_CHARS);
            case TIMERS -> new LimitBounds(LimitSettings.DEFAULT_TIMERS, LimitSettings.MAX_TIMERS);
            case ARTIFACTS -> new LimitBounds(LimitSettings.DEFAULT_ARTIFACTS, LimitSettings.MAX_ARTIFACTS);
            case ARTIFACT_BYTES ->
                new LimitBounds(LimitSettings.DEFAULT_ARTIFACT_BYTES, LimitSettings.MAX_ARTIFACT_BYTES);
            case EVENTS -> new LimitBounds(LimitSettings.DEFAULT_EVENTS, LimitSettings.MAX_EVENTS);
            case JOURNAL_BYTES -> new LimitBounds(LimitSettings.DEFAULT_JOURNAL_BYTES, LimitSettings.MAX_JOURNAL_BYTES);
        };
    }

    /**
     * Returns the limits to request for a run that inherits from another: the requested ones, otherwise the earlier
     * ones reduced to the current maximum.
     */
    RequestedLimits inherit(ExecutionLimits before, RequestedLimits asked) {
        return new RequestedLimits(
                asked.wallMillis()
                        .or(() -> atMost(
                                before.wallMillis(),
                                configuration.get(LimitSettings.MAX_WALL_TIME).toMillis())),
                asked.cpuMillis()
                        .or(() -> atMost(
                                before.cpuMillis(),
                                configuration.get(LimitSettings.MAX_CPU_TIME).toMillis())),
                asked.heapBytes().or(() -> atMost(before.heapBytes(), configuration.get(LimitSettings.MAX_HEAP_BYTES))),
                asked.toolCalls().or(() -> atMost(before.toolCalls(), configuration.get(LimitSettings.MAX_TOOL_CALLS))),
                asked.outputChars()
                        .or(() -> atMost(before.outputChars(), configuration.get(LimitSettings.MAX_OUTPUT_CHARS))),
                asked.cost().or(before::cost),
                further(before, asked));
    }

    private Map<AdditionalLimit, Long> further(ExecutionLimits before, RequestedLimits asked) {
        Map<AdditionalLimit, Long> further = new EnumMap<>(AdditionalLimit.class);
        before.additional().forEach((limit, value) -> further.put(limit, Math.min(value, maxAllowed(limit))));
        further.putAll(asked.further());
        return further;
    }

    private static Optional<Long> atMost(long before, long max) {
        return Optional.of(Math.min(before, max));
    }

    private long number(
            String member, Optional<Long> asked, long least, Setting<Long> standard, Setting<Long> maximum) {
        return resolve(member, asked, least, configuration.get(standard), configuration.get(maximum), maximum);
    }

    private static long resolve(
            String member, Optional<Long> asked, long least, long standard, long maxValue, Setting<?> maximum) {
        if (asked.isEmpty()) {
            return Math.min(standard, maxValue);
        }
        long value = asked.get();
        if (value < least || value > maxValue) {
            throw refused(member, least, maxValue, maximum, value);
        }
        return value;
    }

    private static InvalidSubmissionException refused(
            String member, long least, long maxValue, Setting<?> maximum, long value) {
        return new InvalidSubmissionException(
                "limits." + member,
                "must be from " + least + " to " + maxValue + " (the server's " + maximum.name() + "), not " + value);
    }
}
