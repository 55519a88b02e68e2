package org.sallyport.schedule;

import java.util.List;
import java.util.Locale;

/** Parser for one field of a cron expression. */
enum CronField {
    SECOND("second", 0, 59, List.of()),
    MINUTE("minute", 0, 59, List.of()),
    HOUR("hour", 0, 23, List.of()),
    DAY("day of month", 1, 31, List.of()),
    MONTH("month", 1, 12, List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")),
    WEEKDAY("day of week", 0, 7, List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"));

    private static final int DAYS_OF_WEEK = 7;

    private final String title;
    private final int min;
    private final int max;
    private final List<String> names;

    CronField(String title, int least, int max, List<String> names) {
        this.title = title;
        this.min = least;
        this.max = max;
        this.names = names;
    }

    private static boolean isAny(String text) {
        return text.equals("*") || text.equals("?");
    }

    /**
     * Returns whether a day field restricts nothing by itself. A field that begins with {@code *} does not, also with a
     * step, as in Vixie cron.
     */
    static boolean isUnrestricted(String text) {
        return text.startsWith("*") || text.startsWith("?");
    }

    /**
     * Returns the values that {@code text} matches, as bits. Throws {@link IllegalArgumentException} with the reason
     * when it is invalid.
     */
    long parse(String text) {
        long bits = 0;
        for (String part : text.split(",", -1)) {
            bits |= parsePart(part);
        }
        return bits;
    }

    private long parsePart(String part) {
        String[] halves = part.split("/", -1);
        if (halves.length > 2) {
            throw invalid(part);
        }
        int step = halves.length == 2 ? parseNumber(halves[1], part) : 1;
        if (step < 1) {
            throw invalid(part);
        }
        int from = min;
        int to = min + size() - 1;
        if (!isAny(halves[0])) {
            String[] ends = halves[0].split("-", -1);
            if (ends.length > 2) {
                throw invalid(part);
            }
            from = parseValue(ends[0], part);
            if (ends.length == 2) {
                to = parseValue(ends[1], part);
            } else if (halves.length == 1) {
                to = from;
            }
        }
        if (from > to) {
            if (!isCyclic()) {
                throw invalid(part);
            }
            to += size();
        }
        long bits = 0;
        for (int value = from; value <= to; value += step) {
            bits |= 1L << (min + (value - min) % size());
        }
        return bits;
    }

    /** Whether a range may go over the end of the week or the year, such as {@code SAT-MON}. */
    private boolean isCyclic() {
        return this == WEEKDAY || this == MONTH;
    }

    /** Number of values; the two numbers of Sunday count once. */
    private int size() {
        return this == WEEKDAY ? DAYS_OF_WEEK : max - min + 1;
    }

    private int parseValue(String text, String part) {
        int name = names.indexOf(text.toUpperCase(Locale.ROOT));
        int value = name < 0 ? parseNumber(text, part) : name + min;
        if (value < min || value > max) {
            throw invalid(part);
        }
        return value;
    }

    private int parseNumber(String text, String part) {
        if (text.isEmpty() || text.length() > 4 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw invalid(part);
        }
        return Integer.parseInt(text);
    }

    private IllegalArgumentException invalid(String part) {
        String shown = part.length() > 20 ? part.substring(0, 20) + "…" : part;
        return new IllegalArgumentException("has '" + shown + "' as " + title + "; it takes numbers from " + min
                + " to " + max + (names.isEmpty() ? "" : " or names such as " + names.get(1))
                + ", ranges a-b, steps a-b/n or */n, and lists of these"
                + (isCyclic() ? "" : "; a range must not end before it begins"));
    }
}
