package org.sallyport.execution;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A piece of one output stream, with its place in the output of both streams. All lengths and positions are in
 * characters (UTF-16 code units).
 *
 * @param kind the stream
 * @param offset the position in the stream
 * @param text the characters; may contain any code unit
 * @param sequence the position in the order in which the script wrote both streams: the number of characters of both
 *     streams before this piece
 * @param at when the script wrote it, in milliseconds
 */
public record OutputChunk(OutputKind kind, long offset, String text, long sequence, Instant at) {
    public OutputChunk {
        at = at.truncatedTo(ChronoUnit.MILLIS);
    }

    /** Returns the position in the stream behind this piece. */
    public long end() {
        return offset + text.length();
    }

    /** Returns the characters from {@code start} (inclusive) to {@code stop} (exclusive) of this piece, as a piece. */
    public OutputChunk slice(int start, int stop) {
        return start == 0 && stop == text.length()
                ? this
                : new OutputChunk(kind, offset + start, text.substring(start, stop), sequence + start, at);
    }
}
