package org.sallyport.tool;

/**
 * Replaces lone surrogates, which UTF-8 cannot represent, by U+FFFD in what clients get. Many JSON parsers refuse a
 * whole text with the escape of one. {@link JsonSanitizer} keeps them, for readers of this service.
 */
public final class LoneSurrogateReplacer {
    private static final char REPLACEMENT = '\ufffd';
    private static final int ESCAPE_LENGTH = 6;
    private static final int HEXADECIMAL = 16;

    private LoneSurrogateReplacer() {}

    /** Replaces each lone surrogate of a text; returns the same instance if there is none. */
    public static String replaceInText(String text) {
        return replace(text, false);
    }

    /**
     * Replaces each lone surrogate of a valid JSON text, also where it is written as an escape; returns the same
     * instance if there is none.
     */
    public static String replaceInJson(String json) {
        return replace(json, true);
    }

    /** @param escapes whether escapes of JSON count as the characters that they mean */
    private static String replace(String text, boolean escapes) {
        StringBuilder replaced = null;
        int copied = 0;
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != '\\' && !Character.isSurrogate(c) || c == '\\' && !escapes) {
                at++;
                continue;
            }
            char unit = unit(text, at, escapes);
            int next = at + length(text, at, escapes);
            char low = Character.isHighSurrogate(unit) ? lowSurrogate(text, next, escapes) : 0;
            int end = low == 0 ? next : next + length(text, next, escapes);
            boolean sameNotation = end - next == next - at;
            if (Character.isSurrogate(unit) && !(low != 0 && sameNotation)) {
                replaced = replaced == null ? new StringBuilder(text.length()) : replaced;
                replaced.append(text, copied, at);
                if (low == 0) {
                    replaced.append(REPLACEMENT);
                } else {
                    // An encoder takes one half as a character and the other one as an escape for lone surrogates.
                    replaced.append(unit).append(low);
                }
                copied = end;
            }
            at = end;
        }
        return replaced == null
                ? text
                : replaced.append(text, copied, text.length()).toString();
    }

    /** The low surrogate at an index; 0 if there is none. */
    private static char lowSurrogate(String text, int at, boolean escapes) {
        char unit = at < text.length() ? unit(text, at, escapes) : 0;
        return Character.isLowSurrogate(unit) ? unit : 0;
    }

    /** The character at an index, also if it is written as an escape with four digits. */
    private static char unit(String text, int at, boolean escapes) {
        return length(text, at, escapes) == ESCAPE_LENGTH
                ? (char) Integer.parseInt(text, at + 2, at + ESCAPE_LENGTH, HEXADECIMAL)
                : text.charAt(at);
    }

    /** How many characters of the text write the character at an index. */
    private static int length(String text, int at, boolean escapes) {
        if (!escapes || text.charAt(at) != '\\') {
            return 1;
        }
        return text.startsWith("\\u", at) && at + ESCAPE_LENGTH <= text.length() ? ESCAPE_LENGTH : 2;
    }
}
