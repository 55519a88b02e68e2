package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import org.sallyport.tool.Json;

/**
 * A mail of the demo backend, which is recorded and never sent. A call records one mail, even if it is repeated.
 */
@Entity
@Table(name = "demo_mail")
@SuppressWarnings("NullAway.Init")
class DemoMailEntity {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "demo_mail")
    @SequenceGenerator(name = "demo_mail", sequenceName = "demo_mail_seq", allocationSize = 1)
    @Column(name = "id")
    long id;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    @Column(name = "call_id")
    @Convert(converter = LosslessTextConverter.class)
    String callId;

    @Column(name = "content")
    @Convert(converter = JsonConverter.class)
    Json content;

    protected DemoMailEntity() {}

    DemoMailEntity(String tenant, String callId, Json content) {
        this.tenant = tenant;
        this.callId = callId;
        this.content = content;
    }
}
