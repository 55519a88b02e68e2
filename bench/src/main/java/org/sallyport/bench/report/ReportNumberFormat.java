package org.sallyport.bench.report;

import java.util.Locale;

/** Numbers for people: as many digits as say something. */
final class ReportNumberFormat {
    private static final double HUNDRED = 100;
    private static final double TEN = 10;

    private ReportNumberFormat() {}

    static String format(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "–";
        }
        if (value == Math.rint(value) || size >= HUNDRED) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= TEN ? "%.1f" : "%.2f", value);
    }

    /** With its unit; a rate's unit follows at once. */
    static String format(double value, String unit) {
        return format(value) + (unit.isEmpty() || unit.startsWith("/") ? "" : " ") + unit;
    }
}
