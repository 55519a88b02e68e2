package org.sallyport.sandbox.parser;

import java.util.Arrays;

/**
 * The start offsets of the lines of a text. A line ends with LF, CR LF or CR, as editors and stack traces count.
 * Immutable.
 */
final class LineIndex {
    private final int[] lineStarts;
    private final int length;

    LineIndex(String text) {
        int[] found = new int[16];
        int count = 1;
        for (int i = 0; i < text.length(); i++) {
            char at = text.charAt(i);
            boolean ends = at == '\n' || (at == '\r' && (i + 1 == text.length() || text.charAt(i + 1) != '\n'));
            if (ends) {
                if (count == found.length) {
                    found = Arrays.copyOf(found, count * 2);
                }
                found[count++] = i + 1;
            }
        }
        lineStarts = Arrays.copyOf(found, count);
        length = text.length();
    }

    /** Returns the position of an offset. */
    SourcePosition positionAt(int offset) {
        int found = Arrays.binarySearch(lineStarts, Math.min(offset, length));
        int line = found >= 0 ? found : -found - 2;
        return new SourcePosition(line + 1, Math.min(offset, length) - lineStarts[line] + 1);
    }

    /** Returns the offset of a position; -1 when the text has no such line. */
    int offsetOf(SourcePosition place) {
        if (place.line() < 1 || place.line() > lineStarts.length) {
            return -1;
        }
        return Math.min(length, lineStarts[place.line() - 1] + Math.max(0, place.column() - 1));
    }
}
