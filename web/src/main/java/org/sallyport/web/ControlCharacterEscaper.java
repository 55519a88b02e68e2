package org.sallyport.web;

import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * Escapes untrusted text for a person who decides by it. Invisible characters and characters that change the text
 * direction are shown as {@code \}{@code uXXXX}, which means the same text inside JSON.
 */
public final class ControlCharacterEscaper {
    private static final int ZERO_WIDTH_NON_JOINER = 0x200c;
    private static final int ZERO_WIDTH_JOINER = 0x200d;
    private static final int SOFT_HYPHEN = 0xad;

    private ControlCharacterEscaper() {}

    /** The escaped text, on one line. */
    public static String escape(String text) {
        IntPredicate hidden = ControlCharacterEscaper::isHidden;
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

    private static boolean isHidden(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                true;
            // Joiners and soft hyphens stay: emoji and several scripts need them.
            case Character.FORMAT -> c != ZERO_WIDTH_NON_JOINER && c != ZERO_WIDTH_JOINER && c != SOFT_HYPHEN;
            default -> false;
        };
    }
}
