package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.artifact.Artifact;

/**
 * An artifact without its content. The name is stored in the encoding of {@link LosslessText}, which this package
 * applies itself because JPA converts no id attribute.
 */
@Entity
@IdClass(ArtifactEntity.ArtifactPrimaryKey.class)
@Table(name = "artifact")
@SuppressWarnings("NullAway.Init")
class ArtifactEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Id
    @Column(name = "name")
    String name;

    @Column(name = "kind")
    @Enumerated(EnumType.STRING)
    Artifact.ArtifactKind kind;

    @Column(name = "content_type")
    String contentType;

    @Column(name = "size_bytes")
    long size;

    @Column(name = "created_at", insertable = false, updatable = false)
    Instant createdAt;

    protected ArtifactEntity() {}

    ArtifactEntity(ArtifactPrimaryKey key) {
        executionId = key.executionId;
        name = key.name;
    }

    /** The primary key class that JPA requires. */
    static class ArtifactPrimaryKey {
        UUID executionId;
        String name;

        ArtifactPrimaryKey() {}

        ArtifactPrimaryKey(UUID executionId, String name) {
            this.executionId = executionId;
            this.name = LosslessText.encode(name);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ArtifactPrimaryKey key
                    && key.executionId.equals(executionId)
                    && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return executionId.hashCode() * 31 + name.hashCode();
        }
    }
}
