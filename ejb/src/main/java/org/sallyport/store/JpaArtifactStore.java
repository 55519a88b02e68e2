package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.Fence;

/** Artifacts in the database, their content in pieces. */
public final class JpaArtifactStore implements ArtifactStore {
    private static final int PIECE_BYTES = 512 << 10;
    private static final String LIST = "select a from ArtifactRow a where a.executionId = :id order by a.name";
    private static final String PIECES =
            "select p.content from ArtifactPieceRow p where p.executionId = :id and p.name = :name order by p.piece";
    private static final String REMOVE = "delete from ArtifactPieceRow p where p.executionId = :id and p.name = :name";

    private final Database database;

    public JpaArtifactStore(Database database) {
        this.database = database;
    }

    @Override
    public boolean write(Fence fence, String name, ArtifactContent content) {
        ArtifactRow.Key key = new ArtifactRow.Key(fence.id().value(), name);
        return database.writeAgainIfDuplicate(session -> {
            if (!Fences.holds(session, fence)) {
                return false;
            }
            ArtifactRow row = session.find(ArtifactRow.class, key);
            if (row == null) {
                row = new ArtifactRow(key);
                session.persist(row);
            } else {
                removePieces(session, key);
            }
            row.kind = content.kind();
            row.contentType = content.contentType();
            row.size = content.bytes().length;
            session.flush();
            persistPieces(session, key, content.bytes());
            return true;
        });
    }

    private static void removePieces(EntityManager session, ArtifactRow.Key key) {
        session.createQuery(REMOVE)
                .setParameter("id", key.executionId)
                .setParameter("name", key.name)
                .executeUpdate();
    }

    private static void persistPieces(EntityManager session, ArtifactRow.Key key, byte[] bytes) {
        for (int from = 0, piece = 0; from < bytes.length; from += PIECE_BYTES, piece++) {
            byte[] content = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + PIECE_BYTES));
            session.persist(new ArtifactPieceRow(key, piece, content));
        }
    }

    @Override
    public Optional<ArtifactContent> read(ExecutionId id, String name) {
        ArtifactRow.Key key = new ArtifactRow.Key(id.value(), name);
        // One transaction: the pieces must be those of the row.
        return database.write(session -> Optional.ofNullable(session.find(ArtifactRow.class, key))
                .map(row -> new ArtifactContent(row.kind, row.contentType, content(session, row))));
    }

    private static byte[] content(EntityManager session, ArtifactRow row) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) row.size);
        session.createQuery(PIECES, byte[].class)
                .setParameter("id", row.executionId)
                .setParameter("name", row.name)
                .getResultList()
                .forEach(bytes::writeBytes);
        return bytes.toByteArray();
    }

    @Override
    public List<Artifact> list(ExecutionId id) {
        return database.read(session -> session.createQuery(LIST, ArtifactRow.class)
                .setParameter("id", id.value())
                .getResultStream()
                .map(row ->
                        new Artifact(LosslessText.decode(row.name), row.kind, row.contentType, row.size, row.createdAt))
                .toList());
    }
}
