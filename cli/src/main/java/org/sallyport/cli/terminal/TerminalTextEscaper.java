package org.sallyport.cli.terminal;

import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * Makes untrusted text harmless for a terminal: shows control, bidirectional and invisible characters as
 * {@code \}{@code uXXXX} instead of emitting them. In a JSON document these are JSON escapes, so that the document
 * keeps its meaning.
 */
public final class TerminalTextEscaper {
    private TerminalTextEscaper() {}

    /** Escapes text of several lines; keeps newline and tab. */
    public static String escapeText(String text) {
        return escape(text, c -> c != '\n' && c != '\t' && isUnsafe(c));
    }

    /** Escapes text that must stay on its line, including newline and tab. */
    public static String escapeLine(String text) {
        return escape(text, TerminalTextEscaper::isUnsafe);
    }

    private static String escape(String text, IntPredicate hidden) {
        if (text.codePoints().noneMatch(hidden)) {
            return text;
        }
        StringBuilder visible = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (hidden.test(c)) {
                for (char unit : Character.toChars(c)) {
                    visible.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
                }
            } else {
                visible.appendCodePoint(c);
            }
        });
        return visible.toString();
    }

    private static boolean isUnsafe(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                true;
            // Joiners build emoji and several scripts; all other format characters reorder, hide or tag text.
            case Character.FORMAT -> c != 0x200c && c != 0x200d && c != 0xad;
            default -> false;
        };
    }
}
