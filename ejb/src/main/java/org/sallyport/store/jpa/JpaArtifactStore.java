package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactReader;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;

/** Stores artifacts in the database, with their content in chunks. Thread-safe. */
public final class JpaArtifactStore implements ArtifactStore {
    private static final int CHUNK_BYTES = 512 << 10;
    private static final String LIST = "select a from ArtifactEntity a where a.executionId = :id order by a.name";
    private static final String OPEN =
            "select a.kind, a.contentType, a.size, a.createdAt, min(p.chunkIndex) from ArtifactEntity a"
                    + " left join ArtifactChunkEntity p on p.executionId = a.executionId and p.name = a.name"
                    + " where a.executionId = :id and a.name = :name"
                    + " group by a.kind, a.contentType, a.size, a.createdAt";
    private static final String SELECT_CHUNK =
            "select p.content from ArtifactChunkEntity p where p.executionId = :id and p.name = :name"
                    + " and p.chunkIndex = :chunkIndex";
    private static final String LAST_CHUNK =
            "select max(p.chunkIndex) from ArtifactChunkEntity p where p.executionId = :id and p.name = :name";
    private static final String DELETE_CHUNKS =
            "delete from ArtifactChunkEntity p where p.executionId = :id and p.name = :name";

    private final Database database;

    public JpaArtifactStore(Database database) {
        this.database = database;
    }

    @Override
    public boolean write(FencingToken fence, String name, ArtifactContent content) {
        ArtifactEntity.ArtifactPrimaryKey key =
                new ArtifactEntity.ArtifactPrimaryKey(fence.id().value(), name);
        return database.writeWithDuplicateRetry(session -> {
            if (!FencingCheck.isOwner(session, fence)) {
                return false;
            }
            ArtifactEntity row = session.find(ArtifactEntity.class, key);
            int firstChunk = 0;
            if (row == null) {
                row = new ArtifactEntity(key);
                session.persist(row);
            } else {
                // The chunks get new numbers, so that a reader of the earlier content never reads one of them.
                firstChunk = nextChunkIndex(session, key);
                deleteChunks(session, key);
            }
            row.kind = content.kind();
            row.contentType = content.contentType();
            row.size = content.bytes().length;
            session.flush();
            persistChunks(session, key, firstChunk, content.bytes());
            return true;
        });
    }

    private static int nextChunkIndex(EntityManager session, ArtifactEntity.ArtifactPrimaryKey key) {
        Integer last = session.createQuery(LAST_CHUNK, Integer.class)
                .setParameter("id", key.executionId)
                .setParameter("name", key.name)
                .getSingleResult();
        return last == null ? 0 : last + 1;
    }

    private static void deleteChunks(EntityManager session, ArtifactEntity.ArtifactPrimaryKey key) {
        session.createQuery(DELETE_CHUNKS)
                .setParameter("id", key.executionId)
                .setParameter("name", key.name)
                .executeUpdate();
    }

    private static void persistChunks(
            EntityManager session, ArtifactEntity.ArtifactPrimaryKey key, int firstChunk, byte[] bytes) {
        for (int from = 0, chunkIndex = firstChunk; from < bytes.length; from += CHUNK_BYTES, chunkIndex++) {
            byte[] content = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + CHUNK_BYTES));
            session.persist(new ArtifactChunkEntity(key, chunkIndex, content));
        }
    }

    @Override
    public Optional<ArtifactReader> open(ExecutionId id, String name) {
        ArtifactEntity.ArtifactPrimaryKey key = new ArtifactEntity.ArtifactPrimaryKey(id.value(), name);
        // One statement, because the size must be that of the chunks.
        return database.read(session -> session.createQuery(OPEN, Object[].class)
                .setParameter("id", key.executionId)
                .setParameter("name", key.name)
                .getResultStream()
                .findFirst()
                .map(row -> new ChunkReader(
                        key,
                        new Artifact(
                                name,
                                (Artifact.ArtifactKind) row[0],
                                (String) row[1],
                                ((Number) row[2]).longValue(),
                                (Instant) row[3]),
                        row[4] == null ? 0 : ((Number) row[4]).intValue())));
    }

    /** Reads one chunk with each statement. */
    private final class ChunkReader implements ArtifactReader {
        private final ArtifactEntity.ArtifactPrimaryKey key;
        private final Artifact artifact;
        private int chunkIndex;
        private long unread;

        ChunkReader(ArtifactEntity.ArtifactPrimaryKey key, Artifact artifact, int firstChunk) {
            this.key = key;
            this.artifact = artifact;
            this.chunkIndex = firstChunk;
            this.unread = artifact.size();
        }

        @Override
        public Artifact artifact() {
            return artifact;
        }

        @Override
        public Optional<byte[]> nextChunk() {
            if (unread == 0) {
                return Optional.empty();
            }
            Optional<byte[]> chunk = database.read(session -> session.createQuery(SELECT_CHUNK, byte[].class)
                    .setParameter("id", key.executionId)
                    .setParameter("name", key.name)
                    .setParameter("chunkIndex", chunkIndex)
                    .getResultStream()
                    .findFirst());
            chunkIndex++;
            unread = chunk.map(bytes -> unread - bytes.length).orElse(0L);
            return chunk;
        }
    }

    @Override
    public Optional<ArtifactContent> read(ExecutionId id, String name) {
        while (true) {
            Optional<ArtifactReader> reader = open(id, name);
            if (reader.isEmpty()) {
                return Optional.empty();
            }
            Optional<ArtifactContent> content = readAll(reader.get());
            if (content.isPresent()) {
                return content;
            }
        }
    }

    /** Returns the whole content; empty if it was replaced in the meantime. */
    private static Optional<ArtifactContent> readAll(ArtifactReader reader) {
        Artifact artifact = reader.artifact();
        byte[] bytes = new byte[(int) artifact.size()];
        int length = 0;
        for (Optional<byte[]> chunk = reader.nextChunk(); chunk.isPresent(); chunk = reader.nextChunk()) {
            System.arraycopy(chunk.get(), 0, bytes, length, chunk.get().length);
            length += chunk.get().length;
        }
        return length == bytes.length
                ? Optional.of(new ArtifactContent(artifact.kind(), artifact.contentType(), bytes))
                : Optional.empty();
    }

    @Override
    public List<Artifact> list(ExecutionId id) {
        return database.read(session -> session.createQuery(LIST, ArtifactEntity.class)
                .setParameter("id", id.value())
                .getResultStream()
                .map(row ->
                        new Artifact(LosslessText.decode(row.name), row.kind, row.contentType, row.size, row.createdAt))
                .toList());
    }
}
