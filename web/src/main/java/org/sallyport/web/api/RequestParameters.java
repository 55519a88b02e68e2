package org.sallyport.web.api;

import java.math.BigInteger;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionState;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Reads query parameters and headers. An invalid value is a problem that names it. */
final class RequestParameters {
    /**
     * A preference, or a parameter of one, with its value as a token or as a quoted text (RFC 7240). A quoted text that
     * does not end has no value, and nothing follows it.
     */
    private static final Pattern PREFERENCE = Pattern.compile(
            "([^\\s,;=\"]++)(?:\\s*+=\\s*+(?:\"((?:[^\"\\\\]|\\\\.)*+)\"|\".*+|([^\\s,;=\"]*+)))?+", Pattern.DOTALL);

    private static final Pattern WAIT_SECONDS = Pattern.compile("[0-9]{1,100}");
    private static final Pattern IDEMPOTENCY_KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");

    private RequestParameters() {}

    static long longInRange(String name, @Nullable String text, long otherwise, long least, long max) {
        if (text == null || text.isEmpty()) {
            return otherwise;
        }
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Reported below, with the same message as a value out of bounds.
        }
        throw invalidParameter(name, "must be a whole number from " + least + " to " + max);
    }

    /** Parses a flag; false if it is absent. */
    static boolean flag(String name, @Nullable String text) {
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw invalidParameter(name, "must be true or false");
        }
        return "true".equals(text);
    }

    /** Parses names of states; all states if there are no names. */
    static Set<ExecutionState> states(List<String> texts) {
        Set<ExecutionState> states = EnumSet.noneOf(ExecutionState.class);
        texts.stream().flatMap(text -> List.of(text.split(",", -1)).stream()).forEach(name -> {
            try {
                states.add(ExecutionState.valueOf(name.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw invalidParameter("state", "must be one of " + names(EnumSet.allOf(ExecutionState.class)));
            }
        });
        return states;
    }

    private static String names(Collection<ExecutionState> states) {
        return String.join(", ", states.stream().map(Enum::name).toList());
    }

    /**
     * The seconds of the first {@code Prefer: wait=N}, at most {@code maxSeconds}; empty if the client does not prefer
     * to wait. A preference that is not understood is ignored, as RFC 7240 demands.
     */
    static Optional<Long> preferredWait(List<String> prefer, long maxSeconds) {
        for (String header : prefer) {
            Matcher preference = PREFERENCE.matcher(header);
            while (preference.find()) {
                if (preference.group(1).equalsIgnoreCase("wait")) {
                    return waitSeconds(preference.group(preference.group(2) == null ? 3 : 2), maxSeconds);
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Long> waitSeconds(@Nullable String text, long maxSeconds) {
        return Optional.ofNullable(text)
                .filter(seconds -> WAIT_SECONDS.matcher(seconds).matches())
                .map(seconds -> new BigInteger(seconds)
                        .min(BigInteger.valueOf(maxSeconds))
                        .longValue());
    }

    static Optional<String> idempotencyKey(@Nullable String header) {
        if (header == null) {
            return Optional.empty();
        }
        if (!IDEMPOTENCY_KEY.matcher(header).matches()) {
            throw invalidParameter("Idempotency-Key", "must be 1 to 255 visible ASCII characters");
        }
        return Optional.of(header);
    }

    static ProblemException invalidParameter(String name, String reason) {
        return new ProblemException(
                Problem.of(ProblemType.VALIDATION, "'" + name + "' " + reason, members -> members.put("member", name)));
    }
}
