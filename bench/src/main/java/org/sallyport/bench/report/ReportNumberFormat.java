package org.sallyport.bench.report;

import java.util.Locale;

/** Formats numbers for people, rounded to the significant digits. */
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

    /** Formats a value with its unit. The unit of a rate follows without a space. */
    static String format(double value, String unit) {
        return format(value) + (unit.isEmpty() || unit.startsWith("/") ? "" : " ") + unit;
    }
}
