package org.sallyport.sandbox.parser;

/**
 * A position in a text.
 *
 * @param line from 1; 0 when unknown
 * @param column from 1, in UTF-16 code units; 0 when unknown
 */
public record SourcePosition(int line, int column) {

    /** An unknown position. */
    public static final SourcePosition UNKNOWN = new SourcePosition(0, 0);

    /** Returns whether the position is known. */
    public boolean isKnown() {
        return line > 0;
    }

    /** Returns whether the position is known and behind {@code other}, which may be unknown. */
    boolean isAfter(SourcePosition other) {
        return line > other.line() || (line == other.line() && column > other.column());
    }

    /** Returns the position of an offset in a text whose lines end with LF, CR LF or CR. */
    public static SourcePosition ofOffset(String text, int offset) {
        return new LineIndex(text).positionAt(offset);
    }
}
