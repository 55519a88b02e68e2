package org.sallyport.web.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Parses ISO 8601 instants and durations. */
final class Iso8601 {
    private static final Duration MAX_DURATION = Duration.ofDays(36_525);
    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private Iso8601() {}

    /**
     * Parses an instant, or a duration before {@code now}.
     *
     * @throws org.sallyport.web.ProblemException if the text is neither
     */
    static Instant parseSince(String name, String text, Instant now) {
        try {
            Instant moment = text.startsWith("P") || text.startsWith("p")
                    ? now.minus(parseDuration(name, text))
                    : OffsetDateTime.parse(text).toInstant();
            if (!moment.isBefore(EARLIEST) && !moment.isAfter(LATEST)) {
                return moment;
            }
        } catch (DateTimeException e) {
            // Reported below.
        }
        throw RequestParameters.invalidParameter(
                name, "must be a time such as 2026-06-08T15:00:00Z, or a duration such as PT1H");
    }

    /**
     * Parses an instant with offset, truncated to the precision of the store; empty if the text is invalid or out of
     * range.
     */
    static Optional<Instant> parseInstant(String text) {
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MICROS))
                    .filter(moment -> !moment.isBefore(EARLIEST) && !moment.isAfter(LATEST));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Parses a duration that is not negative.
     *
     * @throws org.sallyport.web.ProblemException if the text is invalid
     */
    static Duration parseDuration(String name, String text) {
        try {
            Duration duration = Duration.parse(text);
            if (!duration.isNegative() && duration.compareTo(MAX_DURATION) <= 0) {
                return duration;
            }
        } catch (DateTimeException e) {
            // Reported below.
        }
        throw RequestParameters.invalidParameter(name, "must be a duration such as PT1H or P7D");
    }
}
