package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;

/** The number of a tenant's last event. The tenant is encoded by hand. */
@Entity
@Table(name = "event_head")
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

    /** A tenant's head, held until the transaction ends; made if there is none. */
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
