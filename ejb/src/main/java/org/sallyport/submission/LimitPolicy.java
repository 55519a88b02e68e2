package org.sallyport.submission;

import java.util.Optional;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Setting;
import org.sallyport.execution.Limits;

/** Turns the limits asked for into those that hold. */
final class LimitPolicy {
    private final Configuration configuration;

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
                asked.cost());
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
                asked.cost().or(before::cost));
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
            throw new InvalidSubmissionException(
                    "limits." + member,
                    "must be from " + least + " to " + most + " (the server's " + maximum.name() + "), not " + value);
        }
        return value;
    }
}
