package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/**
 * A call that incremented a counter of the demo backend. Text ids are stored in the encoding of {@link LosslessText},
 * which this package applies itself because JPA converts no id attribute.
 */
@Entity
@IdClass(DemoLedgerEntity.DemoLedgerPrimaryKey.class)
@Table(name = "demo_ledger")
@SuppressWarnings("NullAway.Init")
class DemoLedgerEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Id
    @Column(name = "name")
    String name;

    @Id
    @Column(name = "call_id")
    String callId;

    @Column(name = "position")
    long position;

    protected DemoLedgerEntity() {}

    DemoLedgerEntity(DemoLedgerPrimaryKey key, long position) {
        this.tenant = key.tenant;
        this.name = key.name;
        this.callId = key.callId;
        this.position = position;
    }

    /** The primary key class that JPA requires. */
    static class DemoLedgerPrimaryKey {
        String tenant;
        String name;
        String callId;

        DemoLedgerPrimaryKey() {}

        DemoLedgerPrimaryKey(DemoCountEntity count, String callId) {
            this.tenant = count.tenant;
            this.name = count.name;
            this.callId = LosslessText.encode(callId);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof DemoLedgerPrimaryKey key
                    && key.tenant.equals(tenant)
                    && key.name.equals(name)
                    && key.callId.equals(callId);
        }

        @Override
        public int hashCode() {
            return (tenant.hashCode() * 31 + name.hashCode()) * 31 + callId.hashCode();
        }
    }
}
