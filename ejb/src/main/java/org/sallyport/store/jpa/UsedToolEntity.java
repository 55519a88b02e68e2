package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sallyport.capability.ToolUse;
import org.sallyport.capability.UsedTool;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.execution.CapabilityRef;

/** A tool that executions of a version of a capability have used. Its id is encoded in this class. */
@Entity
@IdClass(UsedToolEntity.UsedToolPrimaryKey.class)
@Table(name = "capability_tool")
@SuppressWarnings("NullAway.Init")
class UsedToolEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "name")
    String name;

    @Id
    @Column(name = "version")
    String version;

    @Id
    @Column(name = "tool")
    String tool;

    @Column(name = "hash")
    String hash;

    @Column(name = "hash_since")
    Instant hashSince;

    @Column(name = "last_used_at")
    Instant lastUsedAt;

    protected UsedToolEntity() {}

    UsedToolEntity(ToolUse use) {
        UsedToolPrimaryKey key = new UsedToolPrimaryKey(use);
        tenant = key.tenant;
        name = key.name;
        version = key.version;
        tool = key.tool;
        hash = use.hash();
        hashSince = use.at().truncatedTo(ChronoUnit.MICROS);
        lastUsedAt = hashSince;
    }

    /** Returns whether {@link #record} would change this row. */
    final boolean isChangedBy(ToolUse use) {
        return hash.equals(use.hash())
                ? !use.at().isBefore(lastUsedAt.plus(UsedToolStore.REFRESH_AFTER))
                : !use.at().isBefore(lastUsedAt.minus(UsedToolStore.MAX_CLOCK_SKEW));
    }

    /** Records a use, unless it is an earlier one or one with the same hash soon after the stored one. */
    final void record(ToolUse use) {
        if (!isChangedBy(use)) {
            return;
        }
        Instant at = use.at().truncatedTo(ChronoUnit.MICROS);
        lastUsedAt = at.isBefore(lastUsedAt) ? lastUsedAt : at;
        if (!hash.equals(use.hash())) {
            hash = use.hash();
            hashSince = lastUsedAt;
        }
    }

    UsedTool toUsedTool() {
        return new UsedTool(LosslessText.decode(tool), hash, hashSince, lastUsedAt);
    }

    /** The primary key class that JPA requires. */
    static class UsedToolPrimaryKey {
        String tenant;
        String name;
        String version;
        String tool;

        UsedToolPrimaryKey() {}

        UsedToolPrimaryKey(ToolUse use) {
            CapabilityRef used = use.version();
            this.tenant = LosslessText.encode(use.tenant());
            this.name = LosslessText.encode(used.name());
            this.version = LosslessText.encode(used.version());
            this.tool = LosslessText.encode(use.tool());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof UsedToolPrimaryKey key
                    && key.tenant.equals(tenant)
                    && key.name.equals(name)
                    && key.version.equals(version)
                    && key.tool.equals(tool);
        }

        @Override
        public int hashCode() {
            return Objects.hash(tenant, name, version, tool);
        }
    }
}
