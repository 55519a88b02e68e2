package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.FencingToken;

/** Stores artifacts in the database, with their content in chunks. Thread-safe. */
public final class JpaArtifactStore implements ArtifactStore {
    private static final int CHUNK_BYTES = 512 << 10;
    private static final String LIST = "select a from ArtifactEntity a where a.executionId = :id order by a.name";
    private static final String SELECT_CHUNKS =
            "select p.content from ArtifactChunkEntity p where p.executionId = :id and p.name = :name"
                    + " order by p.chunkIndex";
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
            if (row == null) {
                row = new ArtifactEntity(key);
                session.persist(row);
            } else {
                deleteChunks(session, key);
            }
            row.kind = content.kind();
            row.contentType = content.contentType();
            row.size = content.bytes().length;
            session.flush();
            persistChunks(session, key, content.bytes());
            return true;
        });
    }

    private static void deleteChunks(EntityManager session, ArtifactEntity.ArtifactPrimaryKey key) {
        session.createQuery(DELETE_CHUNKS)
                .setParameter("id", key.executionId)
                .setParameter("name", key.name)
                .executeUpdate();
    }

    private static void persistChunks(EntityManager session, ArtifactEntity.ArtifactPrimaryKey key, byte[] bytes) {
        for (int from = 0, chunkIndex = 0; from < bytes.length; from += CHUNK_BYTES, chunkIndex++) {
            byte[] content = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + CHUNK_BYTES));
            session.persist(new ArtifactChunkEntity(key, chunkIndex, content));
        }
    }

    @Override
    public Optional<ArtifactContent> read(ExecutionId id, String name) {
        ArtifactEntity.ArtifactPrimaryKey key = new ArtifactEntity.ArtifactPrimaryKey(id.value(), name);
        // One transaction, because the chunks must be those of the row.
        return database.write(session -> Optional.ofNullable(session.find(ArtifactEntity.class, key))
                .map(row -> new ArtifactContent(row.kind, row.contentType, readContent(session, row))));
    }

    private static byte[] readContent(EntityManager session, ArtifactEntity row) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) row.size);
        session.createQuery(SELECT_CHUNKS, byte[].class)
                .setParameter("id", row.executionId)
                .setParameter("name", row.name)
                .getResultList()
                .forEach(bytes::writeBytes);
        return bytes.toByteArray();
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
