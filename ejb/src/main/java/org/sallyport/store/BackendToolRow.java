package org.sallyport.store;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.PinnedTool;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;

/** A tool of a backend as it was first seen or last accepted. */
@Entity
@IdClass(BackendToolRow.Key.class)
@Table(name = "backend_tool")
@SuppressWarnings("NullAway.Init")
class BackendToolRow {
    @Id
    @Column(name = "backend")
    String backend;

    @Id
    @Column(name = "name")
    String name;

    @Column(name = "definition")
    @Convert(converter = JsonConverter.class)
    Json definition;

    @Column(name = "pending")
    @Convert(converter = JsonConverter.class)
    @Nullable Json pending;

    @Column(name = "present")
    boolean present;

    protected BackendToolRow() {}

    BackendToolRow(String backend, PinnedTool tool) {
        this.backend = backend;
        this.name = tool.name();
        set(tool);
    }

    void set(PinnedTool tool) {
        definition = tool.definition().json();
        pending = tool.pending().map(ToolDefinition::json).orElse(null);
        present = tool.present();
    }

    PinnedTool tool() {
        return new PinnedTool(
                ToolDefinition.of(definition), Optional.ofNullable(pending).map(ToolDefinition::of), present);
    }

    /** Primary key, as JPA wants it. */
    static class Key {
        String backend;
        String name;

        Key() {}

        Key(String backend, String name) {
            this.backend = backend;
            this.name = name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && key.backend.equals(backend) && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return backend.hashCode() * 31 + name.hashCode();
        }
    }
}
