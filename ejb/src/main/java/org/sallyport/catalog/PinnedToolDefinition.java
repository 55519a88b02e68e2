package org.sallyport.catalog;

import java.util.Optional;

/**
 * A tool with the definition under which it was first seen or last accepted.
 *
 * @param definition the accepted definition
 * @param pending the server's current declaration when it differs; the tool is not callable until an operator accepts
 *     it
 * @param available whether the server still declares the tool
 */
public record PinnedToolDefinition(ToolDefinition definition, Optional<ToolDefinition> pending, boolean available) {

    /** Returns whether calls are refused because the definition changed. */
    public boolean isQuarantined() {
        return pending.isPresent();
    }

    /** Returns the tool's name without the backend's. */
    public String name() {
        return definition.name();
    }

    /** Returns a copy after the server declared {@code now}. */
    public PinnedToolDefinition withDeclaration(ToolDefinition now) {
        return new PinnedToolDefinition(
                definition, now.hash().equals(definition.hash()) ? Optional.empty() : Optional.of(now), true);
    }

    /** Returns a copy after the server stopped declaring the tool. */
    public PinnedToolDefinition asUnavailable() {
        return new PinnedToolDefinition(definition, pending, false);
    }

    /** Returns a copy after an operator accepted the pending definition. */
    public PinnedToolDefinition withPendingAccepted() {
        return new PinnedToolDefinition(pending.orElse(definition), Optional.empty(), available);
    }
}
