package org.sallyport.sandbox.parser;

import org.jspecify.annotations.Nullable;

/** Maps the code point offsets of the native compiler to offsets in UTF-16 code units. Immutable. */
final class Utf16Offsets {
    private final int length;
    /** Null if both offsets are equal. */
    private final int @Nullable [] units;

    Utf16Offsets(String text) {
        length = text.length();
        units = unitsOf(text);
    }

    /** Returns the offset in code units; that of the end of the text if {@code points} is behind it. */
    int at(int points) {
        int[] known = units;
        return known == null ? Math.min(points, length) : known[Math.min(points, known.length - 1)];
    }

    private static int @Nullable [] unitsOf(String text) {
        int count = text.codePointCount(0, text.length());
        if (count == text.length()) {
            return null;
        }
        int[] units = new int[count + 1];
        int unit = 0;
        for (int point = 0; point < count; point++) {
            units[point] = unit;
            unit += Character.charCount(text.codePointAt(unit));
        }
        units[count] = unit;
        return units;
    }
}
