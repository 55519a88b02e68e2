package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.tool.Json;

/** The stored definition of a backend. */
@Entity
@Table(name = "backend")
@SuppressWarnings("NullAway.Init")
class BackendEntity {
    @Id
    @Column(name = "name")
    String name;

    @Column(name = "identifier")
    String identifier;

    @Column(name = "kind")
    String kind;

    @Column(name = "settings")
    @Convert(converter = JsonConverter.class)
    Json settings;

    @Column(name = "enabled")
    boolean enabled;

    @Column(name = "origin")
    String origin;

    @Column(name = "version")
    String version;

    @Column(name = "tenant")
    @Convert(converter = LosslessTextConverter.class)
    String tenant;

    protected BackendEntity() {}

    BackendEntity(BackendDefinition definition, String identifier) {
        name = definition.name();
        this.identifier = identifier;
        kind = definition.kind();
        settings = definition.settings();
        enabled = definition.enabled();
        origin = definition.origin().name();
        version = definition.version();
        tenant = definition.tenant();
    }

    BackendDefinition toDefinition() {
        return new BackendDefinition(
                name, kind, settings, enabled, BackendDefinition.BackendOrigin.valueOf(origin), version, tenant);
    }
}
