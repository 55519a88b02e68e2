package org.sallyport.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Map;
import java.util.Optional;

/**
 * A cron expression: five fields (minute, hour, day of month, month, day of week) or six, with seconds before them.
 * When both days are restricted, a match of either is enough. A day field that begins with {@code *} restricts nothing
 * by itself, so both fields must match, as in Vixie cron.
 *
 * <p>Changes of the clock: a time in a gap fires at the moment of the change; a time in an overlap fires once, at its
 * first occurrence. An expression that matches every hour follows elapsed time instead: times in a gap are skipped, and
 * times in an overlap fire twice.
 */
public final class CronExpression {
    private static final Map<String, String> ALIASES = Map.of(
            "@hourly", "0 * * * *",
            "@daily", "0 0 * * *",
            "@weekly", "0 0 * * 0",
            "@monthly", "0 0 1 * *",
            "@yearly", "0 0 1 1 *");

    private static final long ALL_HOURS = (1L << 24) - 1;

    /** The longest time between two leap days on the same weekday, when a century year is no leap year. */
    private static final int MAX_SEARCH_YEARS = 41;

    private final String text;
    private final long seconds;
    private final long minutes;
    private final long hours;
    private final long days;
    private final long months;
    private final long weekdays;
    private final boolean eitherDay;

    private CronExpression(String text, String[] fields) {
        this.text = text;
        int at = fields.length - 5;
        this.seconds = at == 1 ? CronField.SECOND.parse(fields[0]) : 1;
        this.minutes = CronField.MINUTE.parse(fields[at]);
        this.hours = CronField.HOUR.parse(fields[at + 1]);
        this.days = CronField.DAY.parse(fields[at + 2]);
        this.months = CronField.MONTH.parse(fields[at + 3]);
        this.weekdays = CronField.WEEKDAY.parse(fields[at + 4]);
        this.eitherDay = !CronField.isUnrestricted(fields[at + 2]) && !CronField.isUnrestricted(fields[at + 4]);
    }

    /**
     * Parses an expression. Throws {@link IllegalArgumentException} with the reason when it is invalid or never fires.
     */
    public static CronExpression parse(String text) {
        String plain = text.strip();
        String[] fields = ALIASES.getOrDefault(plain, plain).split("\\s+", -1);
        if (fields.length != 5 && fields.length != 6) {
            throw new IllegalArgumentException(
                    "must have five fields (minute, hour, day of month, month, day of week) or six, with seconds "
                            + "before them, or be one of "
                            + String.join(", ", new java.util.TreeSet<>(ALIASES.keySet())));
        }
        CronExpression expression = new CronExpression(plain, fields);
        if (expression.firstFrom(LocalDateTime.of(2000, 1, 1, 0, 0)).isEmpty()) {
            throw new IllegalArgumentException("names a date that never occurs");
        }
        return expression;
    }

    /** Returns the first time after {@code moment} in a time zone. */
    Instant nextAfter(Instant moment, ZoneId zone) {
        ZoneRules rules = zone.getRules();
        Instant start = Instant.ofEpochSecond(moment.getEpochSecond()).plusSeconds(1);
        while (true) {
            // Between two transitions of the time zone the offset is constant.
            ZoneOffset offset = rules.getOffset(start);
            ZoneOffsetTransition begun = rules.previousTransition(start.plusNanos(1));
            ZoneOffsetTransition ends = rules.nextTransition(start);
            LocalDateTime local = LocalDateTime.ofEpochSecond(start.getEpochSecond(), 0, offset);
            if (begun != null && begun.isOverlap() && !runsEveryHour() && local.isBefore(begun.getDateTimeBefore())) {
                local = begun.getDateTimeBefore();
            }
            LocalDateTime found =
                    firstFrom(local).orElseThrow(() -> new IllegalStateException(text + " has no next time"));
            if (ends == null || found.isBefore(ends.getDateTimeBefore())) {
                return found.toInstant(offset);
            } else if (ends.isGap() && !runsEveryHour() && found.isBefore(ends.getDateTimeAfter())) {
                return ends.getInstant();
            }
            start = ends.getInstant();
        }
    }

    private boolean runsEveryHour() {
        return hours == ALL_HOURS;
    }

    private Optional<LocalDateTime> firstFrom(LocalDateTime from) {
        LocalDate day = from.toLocalDate();
        Optional<LocalTime> time = matchesDay(day) ? firstTimeOfDay(from.toLocalTime()) : Optional.empty();
        LocalDate end = day.plusYears(MAX_SEARCH_YEARS);
        while (time.isEmpty() && day.isBefore(end)) {
            day = isSet(months, day.getMonthValue())
                    ? day.plusDays(1)
                    : day.withDayOfMonth(1).plusMonths(1);
            time = matchesDay(day) ? firstTimeOfDay(LocalTime.MIN) : Optional.empty();
        }
        LocalDate found = day;
        return time.map(found::atTime);
    }

    private boolean matchesDay(LocalDate day) {
        boolean ofMonth = isSet(days, day.getDayOfMonth());
        boolean ofWeek = isSet(weekdays, day.getDayOfWeek().getValue() % 7);
        return isSet(months, day.getMonthValue()) && (eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek);
    }

    /** Returns the first time of day at or after {@code from}; empty when there is none. */
    private Optional<LocalTime> firstTimeOfDay(LocalTime from) {
        for (int hour = nextSetBit(hours, from.getHour()); hour >= 0; hour = nextSetBit(hours, hour + 1)) {
            boolean sameHour = hour == from.getHour();
            for (int minute = nextSetBit(minutes, sameHour ? from.getMinute() : 0);
                    minute >= 0;
                    minute = nextSetBit(minutes, minute + 1)) {
                int second = nextSetBit(seconds, sameHour && minute == from.getMinute() ? from.getSecond() : 0);
                if (second >= 0) {
                    return Optional.of(LocalTime.of(hour, minute, second));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isSet(long bits, int value) {
        return (bits & 1L << value) != 0;
    }

    /** Returns the first value at or after {@code least}; -1 when there is none. */
    private static int nextSetBit(long bits, int least) {
        long left = least > 62 ? 0 : bits >>> least << least;
        return left == 0 ? -1 : Long.numberOfTrailingZeros(left);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CronExpression cron && cron.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Returns the expression as written. */
    @Override
    public String toString() {
        return text;
    }
}
