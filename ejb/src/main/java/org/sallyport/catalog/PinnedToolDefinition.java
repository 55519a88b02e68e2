package org.sallyport.catalog;

import java.util.Optional;

/**
 * A tool with the definition under which it was first seen or last accepted.
 *
 * @param names the names that were assigned when it was first seen
 * @param definition the accepted definition
 * @param pending the server's current declaration when it differs; the tool is not callable until an administrator
 *     accepts it
 * @param available whether the server still declares the tool
 */
public record PinnedToolDefinition(
        AssignedToolName names, ToolDefinition definition, Optional<ToolDefinition> pending, boolean available) {

    /** Returns a new tool, which is accepted as it is declared. */
    public static PinnedToolDefinition firstSeen(AssignedToolName names, ToolDefinition definition) {
        return new PinnedToolDefinition(names, definition, Optional.empty(), true);
    }

    /** Returns whether calls are refused because the definition changed. */
    public boolean isQuarantined() {
        return pending.isPresent();
    }

    /** Returns the tool's assigned name without the backend's. */
    public String name() {
        return names.name();
    }

    /** Returns a copy after the server declared {@code now}. */
    public PinnedToolDefinition withDeclaration(ToolDefinition now) {
        return now.hash().equals(definition.hash())
                ? new PinnedToolDefinition(names, now, Optional.empty(), true)
                : new PinnedToolDefinition(names, definition, Optional.of(now), true);
    }

    /** Returns a copy after the server stopped declaring the tool. */
    public PinnedToolDefinition asUnavailable() {
        return new PinnedToolDefinition(names, definition, pending, false);
    }

    /** Returns a copy after an administrator accepted the pending definition. */
    public PinnedToolDefinition withPendingAccepted() {
        return new PinnedToolDefinition(names, pending.orElse(definition), Optional.empty(), available);
    }
}
