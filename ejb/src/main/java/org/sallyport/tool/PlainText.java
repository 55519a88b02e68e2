package org.sallyport.tool;

import java.util.regex.Pattern;

/** Shortens texts of backends for messages and logs, which agents, terminals and pages show. */
public final class PlainText {
    /** Control and format characters, such as those that turn the direction of text, line ends, and lone surrogates. */
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}]+");

    private PlainText() {}

    /**
     * Returns the first {@code maxLength} UTF-16 code units of {@code text}, with one blank in place of each run of
     * invisible characters, and with an ellipsis if it was longer.
     */
    public static String singleLine(String text, int maxLength) {
        String start = truncate(text, maxLength);
        String shown = INVISIBLE.matcher(start).replaceAll(" ");
        return start.length() == text.length() ? shown : shown + "…";
    }

    /**
     * Returns the first {@code maxLength} UTF-16 code units of {@code text}, with an ellipsis if it was longer, before
     * which a redactor also finds the beginning of a secret.
     */
    public static String shorten(String text, int maxLength) {
        return text.length() <= maxLength ? text : truncate(text, maxLength) + "…";
    }

    /** Returns the first {@code maxLength} UTF-16 code units of {@code text}, or one fewer to keep a pair together. */
    public static String truncate(String text, int maxLength) {
        if (text.length() <= maxLength) {
            return text;
        }
        boolean splitsPair = maxLength > 0
                && Character.isHighSurrogate(text.charAt(maxLength - 1))
                && Character.isLowSurrogate(text.charAt(maxLength));
        return text.substring(0, splitsPair ? maxLength - 1 : maxLength);
    }
}
