package org.sallyport.sandbox.source;

/**
 * A place in a text.
 *
 * @param line from 1; 0 when unknown
 * @param column from 1, in UTF-16 code units; 0 when unknown
 */
public record SourcePosition(int line, int column) {

    /** No place. */
    public static final SourcePosition UNKNOWN = new SourcePosition(0, 0);

    /** Whether this is a place at all. */
    public boolean isKnown() {
        return line > 0;
    }

    /** The place of an offset in a text, whose lines end with LF, CR LF or CR. */
    public static SourcePosition ofOffset(String text, int offset) {
        return new LineIndex(text).positionAt(offset);
    }
}
