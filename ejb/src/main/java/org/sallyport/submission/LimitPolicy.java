package org.sallyport.submission;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Setting;
import org.sallyport.execution.FurtherLimit;
import org.sallyport.execution.Limits;

/** Turns the limits asked for into those that hold. */
final class LimitPolicy {
    /** Of what an execution may do without; of the rest it needs one. */
    private static final Map<FurtherLimit, Integer> LEAST = Map.of(FurtherLimit.ARTIFACTS, 0, FurtherLimit.EVENTS, 0);

    private final Configuration configuration;

    /**
     * What may be asked for.
     *
     * @param usual what holds where nothing is asked for
     * @param most what may be asked for at most
     */
    private record Bounds(Setting<Long> usual, Setting<Long> most) {}

    LimitPolicy(Configuration configuration) {
        this.configuration = configuration;
    }

    /** The limits that hold; {@link InvalidSubmissionException} when one asked for is not positive or above the maximum. */
    Limits resolve(RequestedLimits asked) {
        return new Limits(
                resolve(
                        "wallMillis",
                        asked.wallMillis(),
                        1,
                        configuration.get(LimitSettings.WALL).toMillis(),
                        configuration.get(LimitSettings.WALL_MAX).toMillis(),
                        LimitSettings.WALL_MAX),
                resolve(
                        "cpuMillis",
                        asked.cpuMillis(),
                        1,
                        configuration.get(LimitSettings.CPU).toMillis(),
                        configuration.get(LimitSettings.CPU_MAX).toMillis(),
                        LimitSettings.CPU_MAX),
                number("heapBytes", asked.heapBytes(), 1, LimitSettings.HEAP, LimitSettings.HEAP_MAX),
                (int) number("toolCalls", asked.toolCalls(), 0, LimitSettings.CALLS, LimitSettings.CALLS_MAX),
                (int) number("outputChars", asked.outputChars(), 0, LimitSettings.OUTPUT, LimitSettings.OUTPUT_MAX),
                asked.cost(),
                further(asked.further()));
    }

    private Map<FurtherLimit, Integer> further(Map<FurtherLimit, Long> asked) {
        Map<FurtherLimit, Integer> further = new EnumMap<>(FurtherLimit.class);
        asked.forEach((limit, value) -> {
            if (value < LEAST.getOrDefault(limit, 1) || value > most(limit)) {
                throw refused(
                        limit.member(),
                        LEAST.getOrDefault(limit, 1),
                        most(limit),
                        bounds(limit).most(),
                        value);
            }
            further.put(limit, value.intValue());
        });
        return further;
    }

    /** Whatever executions have that ask for nothing may be asked for. */
    private long most(FurtherLimit limit) {
        return Math.max(
                configuration.get(bounds(limit).usual()),
                configuration.get(bounds(limit).most()));
    }

    private static Bounds bounds(FurtherLimit limit) {
        return switch (limit) {
            case CONCURRENT_CALLS -> new Bounds(LimitSettings.CONCURRENT_CALLS, LimitSettings.CONCURRENT_CALLS_MAX);
            case RESULT_CHARS -> new Bounds(LimitSettings.RESULT, LimitSettings.RESULT_MAX);
            case ARGUMENT_CHARS -> new Bounds(LimitSettings.CALL_ARGS, LimitSettings.CALL_ARGS_MAX);
            case TIMERS -> new Bounds(LimitSettings.TIMERS, LimitSettings.TIMERS_MAX);
            case ARTIFACTS -> new Bounds(LimitSettings.ARTIFACTS, LimitSettings.ARTIFACTS_MAX);
            case ARTIFACT_BYTES -> new Bounds(LimitSettings.ARTIFACT_BYTES, LimitSettings.ARTIFACT_BYTES_MAX);
            case EVENTS -> new Bounds(LimitSettings.EVENTS, LimitSettings.EVENTS_MAX);
        };
    }

    /** The limits to ask for where some were asked for before: those, as far as they are allowed by now. */
    RequestedLimits of(Limits before, RequestedLimits asked) {
        return new RequestedLimits(
                asked.wallMillis()
                        .or(() -> least(
                                before.wallMillis(),
                                configuration.get(LimitSettings.WALL_MAX).toMillis())),
                asked.cpuMillis()
                        .or(() -> least(
                                before.cpuMillis(),
                                configuration.get(LimitSettings.CPU_MAX).toMillis())),
                asked.heapBytes().or(() -> least(before.heapBytes(), configuration.get(LimitSettings.HEAP_MAX))),
                asked.toolCalls().or(() -> least(before.toolCalls(), configuration.get(LimitSettings.CALLS_MAX))),
                asked.outputChars().or(() -> least(before.outputChars(), configuration.get(LimitSettings.OUTPUT_MAX))),
                asked.cost().or(before::cost),
                further(before, asked));
    }

    private Map<FurtherLimit, Long> further(Limits before, RequestedLimits asked) {
        Map<FurtherLimit, Long> further = new EnumMap<>(FurtherLimit.class);
        before.further().forEach((limit, value) -> further.put(limit, Math.min(value, most(limit))));
        further.putAll(asked.further());
        return further;
    }

    private static Optional<Long> least(long before, long most) {
        return Optional.of(Math.min(before, most));
    }

    private long number(
            String member, Optional<Long> asked, long least, Setting<Long> standard, Setting<Long> maximum) {
        return resolve(member, asked, least, configuration.get(standard), configuration.get(maximum), maximum);
    }

    private static long resolve(
            String member, Optional<Long> asked, long least, long standard, long most, Setting<?> maximum) {
        if (asked.isEmpty()) {
            return Math.min(standard, most);
        }
        long value = asked.get();
        if (value < least || value > most) {
            throw refused(member, least, most, maximum, value);
        }
        return value;
    }

    private static InvalidSubmissionException refused(
            String member, long least, long most, Setting<?> maximum, long value) {
        return new InvalidSubmissionException(
                "limits." + member,
                "must be from " + least + " to " + most + " (the server's " + maximum.name() + "), not " + value);
    }
}
