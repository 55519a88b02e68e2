package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.OutputKind;
import org.sallyport.journal.OutputChunk;

/** Joins the output of one write into one text per stream, and reads stored output. Not thread-safe. */
final class OutputQueries {
    /** Start offset of a stream to which nothing is added: it may end anywhere. */
    static final long ANY_OFFSET = -1;

    private static final String READ = """
            select c from OutputChunkEntity c
            where c.executionId = :id and c.kind = :kind and c.end > :offset and c.start <= :stop order by \
            c.executionId, c.kind, c.start
            """;

    private final Map<OutputKind, Long> starts = new EnumMap<>(OutputKind.class);
    private final Map<OutputKind, StringBuilder> texts = new EnumMap<>(OutputKind.class);

    /** @throws IllegalArgumentException if the chunks of a stream have a gap */
    OutputQueries(List<OutputChunk> chunks) {
        for (OutputChunk chunk : chunks) {
            if (!chunk.text().isEmpty()) {
                add(chunk);
            }
        }
    }

    private void add(OutputChunk chunk) {
        starts.putIfAbsent(chunk.kind(), chunk.offset());
        if (chunk.offset() != start(chunk.kind()) + length(chunk.kind())) {
            throw new IllegalArgumentException("output with a gap before offset " + chunk.offset());
        }
        texts.computeIfAbsent(chunk.kind(), kind -> new StringBuilder()).append(chunk.text());
    }

    /** Returns the offset at which the stored stream must end now; {@link #ANY_OFFSET} if nothing is added to it. */
    long start(OutputKind kind) {
        return starts.getOrDefault(kind, ANY_OFFSET);
    }

    /** Returns how many characters are added to the stream. */
    long length(OutputKind kind) {
        StringBuilder text = texts.get(kind);
        return text == null ? 0 : text.length();
    }

    List<OutputChunkEntity> toEntities(ExecutionId execution) {
        List<OutputChunkEntity> rows = new ArrayList<>();
        texts.forEach((kind, text) -> rows.add(new OutputChunkEntity(execution, kind, start(kind), text.toString())));
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
}
