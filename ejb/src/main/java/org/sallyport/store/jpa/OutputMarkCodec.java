package org.sallyport.store.jpa;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

/**
 * Encodes which pieces the text of one stored row consists of. Each piece has a mark of three numbers to the base 36:
 * its length, the distance of its sequence from the end of the piece before, and the milliseconds since the time of the
 * piece before. The first mark has the sequence and the time themselves. A mark of one piece has about 15 characters,
 * each further one about 6. Stateless and thread-safe.
 */
final class OutputMarkCodec {
    private static final int RADIX = 36;
    private static final char MARK_END = ';';
    private static final char NUMBER_END = ',';

    private OutputMarkCodec() {}

    /** Returns the marks of pieces of one stream that follow each other without a gap in the stream. */
    static String encode(List<OutputChunk> pieces) {
        StringBuilder marks = new StringBuilder(pieces.size() * 8 + 16);
        long sequence = 0;
        long millis = 0;
        for (OutputChunk piece : pieces) {
            if (!marks.isEmpty()) {
                marks.append(MARK_END);
            }
            long at = piece.at().toEpochMilli();
            marks.append(Integer.toString(piece.text().length(), RADIX))
                    .append(NUMBER_END)
                    .append(Long.toString(piece.sequence() - sequence, RADIX))
                    .append(NUMBER_END)
                    .append(Long.toString(at - millis, RADIX));
            sequence = piece.sequence() + piece.text().length();
            millis = at;
        }
        return marks.toString();
    }

    /**
     * Returns the pieces of a row.
     *
     * @param start offset of {@code text} in its stream
     * @throws IllegalArgumentException if the marks do not describe the text
     */
    static List<OutputChunk> decode(OutputKind kind, long start, String text, String marks) {
        List<OutputChunk> pieces = new ArrayList<>();
        int from = 0;
        long sequence = 0;
        long millis = 0;
        int at = 0;
        while (at < marks.length()) {
            int gapStart = marks.indexOf(NUMBER_END, at) + 1;
            int timeStart = marks.indexOf(NUMBER_END, gapStart) + 1;
            int end = marks.indexOf(MARK_END, timeStart);
            int markEnd = end < 0 ? marks.length() : end;
            if (gapStart == 0 || timeStart == 0) {
                throw new IllegalArgumentException("marks that do not describe their output");
            }
            int to = from + Integer.parseInt(marks, at, gapStart - 1, RADIX);
            if (to > text.length()) {
                throw new IllegalArgumentException("marks that do not describe their output");
            }
            sequence += Long.parseLong(marks, gapStart, timeStart - 1, RADIX);
            millis += Long.parseLong(marks, timeStart, markEnd, RADIX);
            pieces.add(new OutputChunk(
                    kind, start + from, text.substring(from, to), sequence, Instant.ofEpochMilli(millis)));
            sequence += to - from;
            from = to;
            at = markEnd + 1;
        }
        if (from != text.length()) {
            throw new IllegalArgumentException("marks that do not describe their output");
        }
        return pieces;
    }
}
