package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/**
 * A counter of the demo backend, and the number of calls that incremented it. Text ids are stored in the encoding of
 * {@link LosslessText}, which this package applies itself because JPA converts no id attribute.
 */
@Entity
@IdClass(DemoCountEntity.DemoCountPrimaryKey.class)
@Table(name = "demo_count")
@SuppressWarnings("NullAway.Init")
class DemoCountEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "name")
    String name;

    @Column(name = "total")
    long total;

    @Column(name = "calls")
    long calls;

    protected DemoCountEntity() {}

    DemoCountEntity(DemoCountPrimaryKey key) {
        this.tenant = key.tenant;
        this.name = key.name;
    }

    /** The primary key class that JPA requires. */
    static class DemoCountPrimaryKey {
        String tenant;
        String name;

        DemoCountPrimaryKey() {}

        DemoCountPrimaryKey(String tenant, String name) {
            this.tenant = LosslessText.encode(tenant);
            this.name = LosslessText.encode(name);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof DemoCountPrimaryKey key && key.tenant.equals(tenant) && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode() * 31 + name.hashCode();
        }
    }
}
