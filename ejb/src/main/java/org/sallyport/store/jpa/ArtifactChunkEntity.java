package org.sallyport.store.jpa;

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
@Table(name = "artifact_chunk")
@SuppressWarnings("NullAway.Init")
class ArtifactChunkEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Id
    @Column(name = "name")
    String name;

    @Id
    @Column(name = "chunk_index")
    int chunkIndex;

    @Column(name = "content")
    byte[] content;

    protected ArtifactChunkEntity() {}

    ArtifactChunkEntity(ArtifactEntity.ArtifactPrimaryKey artifact, int chunkIndex, byte[] content) {
        this.executionId = artifact.executionId;
        this.name = artifact.name;
        this.chunkIndex = chunkIndex;
        this.content = content;
    }

    /** The primary key class that JPA requires. */
    static class ArtifactChunkPrimaryKey {
        UUID executionId;
        String name;
        int chunkIndex;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ArtifactChunkPrimaryKey key
                    && key.chunkIndex == chunkIndex
                    && key.executionId.equals(executionId)
                    && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return Objects.hash(executionId, name, chunkIndex);
        }
    }
}
