package org.sallyport.web.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Reads times and durations as ISO 8601 writes them. */
final class Iso8601 {
    private static final Duration MAX_DURATION = Duration.ofDays(36_525);
    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private Iso8601() {}

    /** A moment, or a duration before {@code now}. */
    static Instant parseSince(String name, String text, Instant now) {
        try {
            Instant moment = text.startsWith("P") || text.startsWith("p")
                    ? now.minus(parseDuration(name, text))
                    : OffsetDateTime.parse(text).toInstant();
            if (!moment.isBefore(EARLIEST) && !moment.isAfter(LATEST)) {
                return moment;
            }
        } catch (DateTimeException e) {
            // Said below.
        }
        throw RequestParameters.invalidParameter(
                name, "must be a time such as 2026-06-08T15:00:00Z, or a duration such as PT1H");
    }

    /** A moment with its offset, as exact as the store is; empty when it is none, or of another age. */
    static Optional<Instant> parseInstant(String text) {
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MICROS))
                    .filter(moment -> !moment.isBefore(EARLIEST) && !moment.isAfter(LATEST));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Some time, not below zero. */
    static Duration parseDuration(String name, String text) {
        try {
            Duration duration = Duration.parse(text);
            if (!duration.isNegative() && duration.compareTo(MAX_DURATION) <= 0) {
                return duration;
            }
        } catch (DateTimeException e) {
            // Said below.
        }
        throw RequestParameters.invalidParameter(name, "must be a duration such as PT1H or P7D");
    }
}
