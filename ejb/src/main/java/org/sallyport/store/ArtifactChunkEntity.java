package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One chunk of an artifact's content. */
@Entity
@IdClass(ArtifactChunkEntity.ArtifactChunkPrimaryKey.class)
@Table(name = "artifact_piece")
@SuppressWarnings("NullAway.Init")
class ArtifactChunkEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Id
    @Column(name = "name")
    String name;

    @Id
    @Column(name = "piece")
    int piece;

    @Column(name = "content")
    byte[] content;

    protected ArtifactChunkEntity() {}

    ArtifactChunkEntity(ArtifactEntity.ArtifactPrimaryKey artifact, int piece, byte[] content) {
        this.executionId = artifact.executionId;
        this.name = artifact.name;
        this.piece = piece;
        this.content = content;
    }

    /** The primary key class that JPA requires. */
    static class ArtifactChunkPrimaryKey {
        UUID executionId;
        String name;
        int piece;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ArtifactChunkPrimaryKey key
                    && key.piece == piece
                    && key.executionId.equals(executionId)
                    && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return Objects.hash(executionId, name, piece);
        }
    }
}
