package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
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
}
