package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.script.SavedScript;
import org.sallyport.script.ScriptSummary;

/** A saved script. The key class encodes the tenant, because JPA converts no id attribute. Names need no encoding. */
@Entity
@IdClass(ScriptEntity.ScriptPrimaryKey.class)
@Table(name = "script")
@SuppressWarnings("NullAway.Init")
class ScriptEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "name")
    String name;

    @Column(name = "hash")
    String hash;

    @Column(name = "language")
    @Enumerated(EnumType.STRING)
    ScriptLanguage language;

    @Column(name = "code")
    @Convert(converter = LosslessTextConverter.class)
    String code;

    @Column(name = "description")
    @Convert(converter = LosslessTextConverter.class)
    String description;

    @Column(name = "saved_by")
    @Convert(converter = LosslessTextConverter.class)
    String savedBy;

    @Column(name = "last_run")
    String lastRun;

    @Column(name = "saved_at", insertable = false, updatable = false)
    Instant savedAt;

    @Column(name = "used_at", insertable = false, updatable = false)
    Instant usedAt;

    SavedScript toSavedScript() {
        return new SavedScript(
                new ScriptSummary(
                        name,
                        language,
                        hash,
                        description,
                        savedBy,
                        ExecutionId.parse(lastRun).orElseThrow(),
                        savedAt,
                        usedAt),
                code);
    }

    /** Primary key class, as JPA requires it. */
    static class ScriptPrimaryKey {
        String tenant;
        String name;

        ScriptPrimaryKey() {}

        ScriptPrimaryKey(String tenant, String name) {
            this.tenant = LosslessText.encode(tenant);
            this.name = LosslessText.encode(name);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ScriptPrimaryKey key && key.tenant.equals(tenant) && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return Objects.hash(tenant, name);
        }
    }
}
