package org.sallyport.cli.terminal;

import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * Makes text that somebody else wrote harmless for a terminal: control, bidirectional and invisible characters are shown as
 * {@code \}{@code uXXXX} instead of being obeyed. Inside a JSON document these are the escapes of JSON itself, so a document
 * stays the same document.
 */
public final class TerminalTextEscaper {
    private TerminalTextEscaper() {}

    /** Text of several lines: newline and tab pass. */
    public static String escapeText(String text) {
        return escape(text, c -> c != '\n' && c != '\t' && isUnsafe(c));
    }

    /** Text that must stay on its line: newline and tab are shown too. */
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
