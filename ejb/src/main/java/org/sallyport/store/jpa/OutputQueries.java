package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

/** Joins the output of one write into one text per stream, and reads stored output. Not thread-safe. */
final class OutputQueries {
    /** Start offset of both streams if nothing is added: they may end anywhere. */
    static final long ANY_OFFSET = -1;

    private static final String READ = """
            select c from OutputChunkEntity c
            where c.executionId = :id and c.kind = :kind and c.end > :offset and c.start <= :stop order by \
            c.executionId, c.kind, c.start
            """;

    /** One query for both streams: with two, output that is written in between could be read out of order. */
    private static final String READ_IN_ORDER = """
            select c from OutputChunkEntity c
            where c.executionId = :id and (c.kind = :out and c.end > :outOffset and c.start <= :outStop
                or c.kind = :err and c.end > :errOffset and c.start <= :errStop)
            order by c.executionId, c.kind, c.start
            """;

    private final Map<OutputKind, List<OutputChunk>> streams = new EnumMap<>(OutputKind.class);

    /** The sequence of the first piece, which is the stored length of both streams. */
    private long firstSequence = ANY_OFFSET;

    /** @throws IllegalArgumentException if the pieces have a gap, in a stream or in the order of both */
    OutputQueries(List<OutputChunk> pieces) {
        long expected = ANY_OFFSET;
        for (OutputChunk piece : pieces) {
            if (expected != ANY_OFFSET && piece.sequence() != expected) {
                throw new IllegalArgumentException("output with a gap before sequence " + piece.sequence());
            }
            expected = piece.sequence() + piece.text().length();
            if (!piece.text().isEmpty()) {
                add(piece);
            }
        }
        for (OutputKind kind : OutputKind.values()) {
            if (!streams.isEmpty() && start(kind) < 0) {
                throw new IllegalArgumentException("output whose sequence is smaller than its offset");
            }
        }
        if (streams.size() == OutputKind.values().length
                && start(OutputKind.OUT) + start(OutputKind.ERR) != firstSequence) {
            throw new IllegalArgumentException("output whose sequence is not the length of both streams before it");
        }
    }

    private void add(OutputChunk piece) {
        List<OutputChunk> stream = streams.computeIfAbsent(piece.kind(), kind -> new ArrayList<>());
        if (!stream.isEmpty() && piece.offset() != stream.get(stream.size() - 1).end()) {
            throw new IllegalArgumentException("output with a gap before offset " + piece.offset());
        }
        stream.add(piece);
        firstSequence = firstSequence == ANY_OFFSET ? piece.sequence() : firstSequence;
    }

    /** Returns the offset at which the stored stream must end now; {@link #ANY_OFFSET} if no output is added. */
    long start(OutputKind kind) {
        List<OutputChunk> stream = streams.get(kind);
        if (stream != null) {
            return stream.get(0).offset();
        }
        // The sequence tells the length of the stream to which nothing is added.
        return streams.values().stream()
                .findFirst()
                .map(other -> firstSequence - other.get(0).offset())
                .orElse(ANY_OFFSET);
    }

    /** Returns how many characters are added to the stream. */
    long length(OutputKind kind) {
        List<OutputChunk> stream = streams.get(kind);
        return stream == null ? 0 : stream.get(stream.size() - 1).end() - start(kind);
    }

    /** Whether the stored stream reaches further than the added output. */
    boolean endsBefore(OutputKind kind, long storedLength) {
        return start(kind) != ANY_OFFSET && start(kind) + length(kind) < storedLength;
    }

    List<OutputChunkEntity> toEntities(ExecutionId execution) {
        List<OutputChunkEntity> rows = new ArrayList<>();
        streams.forEach((kind, pieces) -> {
            StringBuilder text = new StringBuilder();
            pieces.forEach(piece -> text.append(piece.text()));
            rows.add(new OutputChunkEntity(
                    execution, kind, start(kind), text.toString(), OutputMarkCodec.encode(pieces)));
        });
        return rows;
    }

    static String read(EntityManager session, ExecutionId id, OutputKind kind, long offset, int limit) {
        long stop = offset + limit;
        List<OutputChunkEntity> chunks = session.createQuery(READ, OutputChunkEntity.class)
                .setParameter("id", id.value())
                .setParameter("kind", kind)
                .setParameter("offset", offset)
                .setParameter("stop", stop)
                .getResultList();
        StringBuilder text = new StringBuilder();
        for (OutputChunkEntity chunk : chunks) {
            int from = (int) Math.max(0, offset - chunk.start);
            // Reads one character more than requested, to detect whether the last one is half of a surrogate pair.
            int to = (int) Math.min(chunk.text.length(), stop + 1 - chunk.start);
            text.append(chunk.text, from, to);
        }
        if (text.length() > limit) {
            boolean split = limit > 0 && Character.isSurrogatePair(text.charAt(limit - 1), text.charAt(limit));
            text.setLength(split ? limit - 1 : limit);
        }
        return text.toString();
    }

    static List<OutputChunk> readInOrder(
            EntityManager session, ExecutionId id, long outOffset, long errOffset, int limit) {
        List<OutputChunk> pieces = new ArrayList<>();
        session.createQuery(READ_IN_ORDER, OutputChunkEntity.class)
                .setParameter("id", id.value())
                .setParameter("out", OutputKind.OUT)
                .setParameter("outOffset", outOffset)
                .setParameter("outStop", stop(outOffset, limit))
                .setParameter("err", OutputKind.ERR)
                .setParameter("errOffset", errOffset)
                .setParameter("errStop", stop(errOffset, limit))
                .getResultList()
                .forEach(row -> addAfter(row.kind == OutputKind.OUT ? outOffset : errOffset, row.pieces(), pieces));
        pieces.sort(Comparator.comparingLong(OutputChunk::sequence));
        return truncate(pieces, limit);
    }

    private static long stop(long offset, int limit) {
        return offset > Long.MAX_VALUE - limit ? Long.MAX_VALUE : offset + limit;
    }

    private static void addAfter(long offset, List<OutputChunk> row, List<OutputChunk> pieces) {
        for (OutputChunk piece : row) {
            if (piece.end() > offset) {
                int start = (int) Math.max(0, offset - piece.offset());
                pieces.add(piece.slice(start, piece.text().length()));
            }
        }
    }

    /** Returns the first {@code limit} characters; never splits a surrogate pair. */
    private static List<OutputChunk> truncate(List<OutputChunk> pieces, int limit) {
        List<OutputChunk> kept = new ArrayList<>();
        int left = limit;
        for (OutputChunk piece : pieces) {
            String text = piece.text();
            int length = Math.min(left, text.length());
            if (length > 0
                    && length < text.length()
                    && Character.isSurrogatePair(text.charAt(length - 1), text.charAt(length))) {
                length--;
            }
            if (length > 0) {
                kept.add(piece.slice(0, length));
            }
            if (length < text.length()) {
                break;
            }
            left -= length;
        }
        return kept;
    }
}
