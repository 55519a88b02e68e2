package org.sallyport.cli.terminal;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Formats and parses durations for people. */
public final class DurationFormat {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)?");

    private DurationFormat() {}

    /** Returns a rounded text, such as {@code 7 ms}, {@code 1.25 s}, {@code 3 min 5 s} or {@code 2 h 10 min}. */
    public static String format(Duration duration) {
        long millis = Math.max(0, duration.toMillis());
        if (millis < 1_000) {
            return millis + " ms";
        }
        if (millis < 10_000) {
            return String.format(Locale.ROOT, "%.2f s", millis / 1000.0);
        }
        if (millis < 60_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        if (millis < 3_600_000) {
            return millis / 60_000 + " min " + millis / 1_000 % 60 + " s";
        }
        return millis / 3_600_000 + " h " + millis / 60_000 % 60 + " min";
    }

    /**
     * Parses {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h}, or a bare number of seconds.
     *
     * @throws IllegalArgumentException if the text has another format or the duration is zero
     */
    public static Duration parse(String text) {
        Matcher matcher = DURATION.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a duration such as 500ms, 30s, 5m or 1h");
        }
        long amount = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2);
        Duration duration = switch (unit == null ? "s" : unit) {
            case "ms" -> Duration.ofMillis(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofSeconds(amount);
        };
        if (duration.isZero()) {
            throw new IllegalArgumentException("a duration must be longer than zero");
        }
        return duration;
    }
}
