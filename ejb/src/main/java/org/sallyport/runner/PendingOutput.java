package org.sallyport.runner;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

/**
 * The output of a run that no write has taken yet, in the order in which the script wrote both streams. The number of
 * pieces is bounded: if there would be more, the last text of a write is grouped by stream. Not thread-safe.
 */
final class PendingOutput {
    /** Maximum number of pieces between two calls of {@link #takePieces}, besides one group of text per stream. */
    static final int MAX_PIECES_PER_WRITE = 1_000;

    /** The first pieces of a write do not count for {@link #MAX_PIECES_PER_RUN}, so that a long run keeps its order. */
    static final int UNCOUNTED_PIECES_PER_WRITE = 32;

    /** Maximum number of counted pieces of one run. */
    static final int MAX_PIECES_PER_RUN = 20_000;

    /** Text of one stream that the script writes within this time after the beginning of a piece belongs to it. */
    private static final Duration PIECE_DURATION = Duration.ofMillis(10);

    private final Map<OutputKind, StreamPosition> streams = new EnumMap<>(OutputKind.class);
    private final Map<OutputKind, TextPiece> groups = new EnumMap<>(OutputKind.class);
    private List<TextPiece> pieces = new ArrayList<>();
    private int countedPieces;
    private Instant lastTime = Instant.MIN;

    private record TextPiece(OutputKind kind, Instant at, StringBuilder text) {}

    /**
     * @param outLength stored characters of stdout, which are skipped when this run repeats them
     * @param errLength stored characters of stderr, likewise
     */
    PendingOutput(long outLength, long errLength) {
        streams.put(OutputKind.OUT, new StreamPosition(outLength));
        streams.put(OutputKind.ERR, new StreamPosition(errLength));
    }

    private static final class StreamPosition {
        /** Characters that are stored or were taken by a write. */
        private long taken;

        private long charsToSkip;

        StreamPosition(long stored) {
            this.taken = stored;
            this.charsToSkip = stored;
        }

        /** Returns the part of {@code text} that no earlier run has printed. */
        String skipRepeated(String text) {
            int repeated = (int) Math.min(charsToSkip, text.length());
            charsToSkip -= repeated;
            return text.substring(repeated);
        }
    }

    /**
     * Adds text of a stream. Returns the number of characters that no earlier run has printed.
     *
     * @param at when the script wrote it; not earlier than the text before, or it counts as written with that
     */
    int add(OutputKind kind, String text, Instant at) {
        String fresh = position(kind).skipRepeated(text);
        if (!fresh.isEmpty()) {
            lastTime = at.isBefore(lastTime) ? lastTime : at;
            pieceFor(kind).text().append(fresh);
        }
        return fresh.length();
    }

    private TextPiece pieceFor(OutputKind kind) {
        TextPiece last = pieces.isEmpty() ? null : pieces.get(pieces.size() - 1);
        if (last != null && last.kind() == kind && lastTime.isBefore(last.at().plus(PIECE_DURATION))) {
            return last;
        }
        if (pieces.size() < UNCOUNTED_PIECES_PER_WRITE) {
            return newPiece(kind);
        }
        if (pieces.size() < MAX_PIECES_PER_WRITE && countedPieces < MAX_PIECES_PER_RUN) {
            countedPieces++;
            return newPiece(kind);
        }
        return groups.computeIfAbsent(kind, this::newPiece);
    }

    private TextPiece newPiece(OutputKind kind) {
        TextPiece piece = new TextPiece(kind, lastTime, new StringBuilder());
        pieces.add(piece);
        return piece;
    }

    private StreamPosition position(OutputKind kind) {
        StreamPosition position = streams.get(kind);
        if (position == null) {
            throw new IllegalArgumentException("a stream without a position: " + kind);
        }
        return position;
    }

    boolean isEmpty() {
        return pieces.isEmpty();
    }

    /** Returns the pieces that were added since the last call, in order, following the earlier ones without a gap. */
    List<OutputChunk> takePieces() {
        List<OutputChunk> taken = new ArrayList<>(pieces.size());
        long sequence = position(OutputKind.OUT).taken + position(OutputKind.ERR).taken;
        for (TextPiece piece : pieces) {
            StreamPosition stream = position(piece.kind());
            String text = piece.text().toString();
            taken.add(new OutputChunk(piece.kind(), stream.taken, text, sequence, piece.at()));
            stream.taken += text.length();
            sequence += text.length();
        }
        pieces = new ArrayList<>();
        groups.clear();
        return taken;
    }
}
