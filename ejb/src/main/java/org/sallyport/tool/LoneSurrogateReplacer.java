package org.sallyport.tool;

import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Replaces lone surrogates, which UTF-8 cannot represent: for clients by U+FFFD, as encoders of UTF-8 do, because many
 * JSON parsers refuse a whole text with the escape of one; for this service by the escape.
 */
public final class LoneSurrogateReplacer {
    private static final int ESCAPE_LENGTH = 6;
    private static final int HEXADECIMAL = 16;

    private LoneSurrogateReplacer() {}

    /** Replaces each lone surrogate of a text; returns the same instance if there is none. */
    public static String replaceInText(String text) {
        return replace(text, false, unit -> "\ufffd");
    }

    /**
     * Replaces each lone surrogate of a valid JSON text, also where it is written as an escape; returns the same
     * instance if there is none.
     */
    public static String replaceInJson(String json) {
        return replace(json, true, unit -> "\ufffd");
    }

    /** Writes each lone surrogate of a valid JSON text as its escape, which keeps the value of the text. */
    public static String escapeInJson(String json) {
        return replace(json, false, unit -> String.format(Locale.ROOT, "\\u%04x", unit));
    }

    /** @param escapes whether escapes of JSON count as the characters that they mean */
    private static String replace(String text, boolean escapes, IntFunction<String> replacement) {
        StringBuilder replaced = null;
        int copied = 0;
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != '\\' && !Character.isSurrogate(c) || c == '\\' && !escapes) {
                at++;
                continue;
            }
            int length = c == '\\' ? escapeLength(text, at) : 1;
            char unit = length == ESCAPE_LENGTH ? unescape(text, at) : c;
            if (!Character.isSurrogate(unit)) {
                at += length;
            } else if (Character.isHighSurrogate(unit) && isLowSurrogate(text, at + length, length)) {
                at += 2 * length;
            } else {
                replaced = replaced == null ? new StringBuilder(text.length()) : replaced;
                replaced.append(text, copied, at).append(replacement.apply(unit));
                at += length;
                copied = at;
            }
        }
        return replaced == null
                ? text
                : replaced.append(text, copied, text.length()).toString();
    }

    private static int escapeLength(String json, int at) {
        return json.startsWith("\\u", at) && at + ESCAPE_LENGTH <= json.length() ? ESCAPE_LENGTH : 2;
    }

    /** Whether a low surrogate follows in the same notation, with {@code length} characters. */
    private static boolean isLowSurrogate(String text, int at, int length) {
        if (at + length > text.length()) {
            return false;
        }
        return length == 1
                ? Character.isLowSurrogate(text.charAt(at))
                : text.startsWith("\\u", at) && Character.isLowSurrogate(unescape(text, at));
    }

    private static char unescape(String json, int at) {
        return (char) Integer.parseInt(json, at + 2, at + ESCAPE_LENGTH, HEXADECIMAL);
    }
}
