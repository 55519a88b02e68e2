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
class EventHeadRow {
    @Id
    @Column(name = "tenant")
    String tenant;

    @Column(name = "last_seq")
    long lastSeq;

    protected EventHeadRow() {}

    EventHeadRow(String tenant) {
        this.tenant = tenant;
    }

    /** A tenant's head, held until the transaction ends; made if there is none. */
    static EventHeadRow locked(EntityManager session, String tenant) {
        EventHeadRow found = session.find(EventHeadRow.class, tenant, LockModeType.PESSIMISTIC_WRITE);
        if (found != null) {
            return found;
        }
        EventHeadRow created = new EventHeadRow(tenant);
        session.persist(created);
        session.flush();
        return created;
    }
}
