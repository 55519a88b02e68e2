package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.AssignedToolName;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;

/** The definition of a backend's tool as the service first saw it or as a person last accepted it. */
@Entity
@IdClass(BackendToolEntity.BackendToolPrimaryKey.class)
@Table(name = "backend_tool")
@SuppressWarnings("NullAway.Init")
class BackendToolEntity {
    @Id
    @Column(name = "backend")
    String backend;

    @Id
    @Column(name = "name")
    String name;

    @Column(name = "identifier")
    String identifier;

    @Column(name = "definition")
    @Convert(converter = JsonConverter.class)
    Json definition;

    @Column(name = "pending")
    @Convert(converter = JsonConverter.class)
    @Nullable Json pending;

    @Column(name = "available")
    boolean available;

    protected BackendToolEntity() {}

    BackendToolEntity(String backend, PinnedToolDefinition tool) {
        this.backend = backend;
        this.name = tool.names().name();
        this.identifier = tool.names().identifier();
        update(tool);
    }

    void update(PinnedToolDefinition tool) {
        definition = tool.definition().toJson();
        pending = tool.pending().map(ToolDefinition::toJson).orElse(null);
        available = tool.available();
    }

    PinnedToolDefinition toPinnedTool() {
        return new PinnedToolDefinition(
                new AssignedToolName(name, identifier),
                ToolDefinition.of(definition),
                Optional.ofNullable(pending).map(ToolDefinition::of),
                available);
    }

    /** The primary key class that JPA requires. */
    static class BackendToolPrimaryKey {
        String backend;
        String name;

        BackendToolPrimaryKey() {}

        BackendToolPrimaryKey(String backend, String name) {
            this.backend = backend;
            this.name = name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof BackendToolPrimaryKey key && key.backend.equals(backend) && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return backend.hashCode() * 31 + name.hashCode();
        }
    }
}
