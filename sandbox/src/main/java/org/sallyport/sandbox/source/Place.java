package org.sallyport.sandbox.source;

/**
 * A place in a text.
 *
 * @param line from 1; 0 when unknown
 * @param column from 1, in UTF-16 code units; 0 when unknown
 */
public record Place(int line, int column) {

    /** No place. */
    public static final Place UNKNOWN = new Place(0, 0);

    /** Whether this is a place at all. */
    public boolean known() {
        return line > 0;
    }

    /** The place of an offset in a text, whose lines end with LF, CR LF or CR. */
    public static Place at(String text, int offset) {
        return new Lines(text).place(offset);
    }
}
