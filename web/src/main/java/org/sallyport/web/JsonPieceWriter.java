package org.sallyport.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.sallyport.tool.LoneSurrogateReplacer;

/**
 * Encodes a JSON text as UTF-8 piece by piece, so that the whole text is never in memory. Replaces lone surrogates.
 * Does not close its output. Not thread-safe.
 */
final class JsonPieceWriter extends Writer {
    private static final int ESCAPE_LENGTH = 6;
    private static final int HEXADECIMAL = 16;

    private final OutputStream out;
    private final int pieceChars;
    private final StringBuilder pending = new StringBuilder();

    /** @param pieceChars minimum size of a piece, except for the last one */
    JsonPieceWriter(OutputStream out, int pieceChars) {
        this.out = out;
        this.pieceChars = pieceChars;
    }

    @Override
    public void write(char[] from, int offset, int length) throws IOException {
        pending.append(from, offset, length);
        if (pending.length() >= pieceChars) {
            writePiece(completeLength());
        }
    }

    private void writePiece(int length) throws IOException {
        out.write(LoneSurrogateReplacer.replaceInJson(pending.substring(0, length))
                .getBytes(StandardCharsets.UTF_8));
        pending.delete(0, length);
    }

    /** Length of the pending text without an escape, or half of a surrogate pair, that may continue. */
    private int completeLength() {
        int complete = 0;
        int at = 0;
        while (at < pending.length()) {
            int end = at + length(at);
            if (end > pending.length()) {
                break;
            }
            complete = Character.isHighSurrogate(unit(at, end)) ? at : end;
            at = end;
        }
        return complete;
    }

    private int length(int at) {
        if (pending.charAt(at) != '\\') {
            return 1;
        }
        return at + 1 < pending.length() && pending.charAt(at + 1) == 'u' ? ESCAPE_LENGTH : 2;
    }

    private char unit(int at, int end) {
        return end - at == ESCAPE_LENGTH
                ? (char) Integer.parseInt(pending, at + 2, end, HEXADECIMAL)
                : pending.charAt(at);
    }

    /** Has no effect: a part of the text may wait for its continuation. */
    @Override
    public void flush() {}

    /** Writes the rest of the text. */
    @Override
    public void close() throws IOException {
        writePiece(pending.length());
    }
}
