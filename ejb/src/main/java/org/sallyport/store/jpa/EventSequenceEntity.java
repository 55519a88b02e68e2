package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;

/**
 * The sequence number of a tenant's last event. The tenant is stored in the encoding of {@link LosslessText}, which
 * this package applies itself because JPA converts no id attribute.
 */
@Entity
@Table(name = "event_sequence")
@SuppressWarnings("NullAway.Init")
class EventSequenceEntity {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Column(name = "last_seq")
    long lastSeq;

    protected EventSequenceEntity() {}

    EventSequenceEntity(String tenant) {
        this.tenant = tenant;
    }

    /**
     * Returns the row of a tenant, locked until the transaction ends. Creates it if it does not exist.
     *
     * @param tenant in the encoding of {@link LosslessText}
     */
    static EventSequenceEntity lockOrCreate(EntityManager session, String tenant) {
        EventSequenceEntity found = session.find(EventSequenceEntity.class, tenant, LockModeType.PESSIMISTIC_WRITE);
        if (found != null) {
            return found;
        }
        EventSequenceEntity created = new EventSequenceEntity(tenant);
        session.persist(created);
        session.flush();
        return created;
    }
}
