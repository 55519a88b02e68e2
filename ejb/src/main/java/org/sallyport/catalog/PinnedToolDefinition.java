package org.sallyport.catalog;

import java.util.Optional;

/**
 * A tool as it was when it was first seen, or last accepted.
 *
 * @param definition the definition that counts
 * @param pending what its server declares now, when that differs: nobody calls it until an operator has looked
 * @param available whether its server still has it
 */
public record PinnedToolDefinition(ToolDefinition definition, Optional<ToolDefinition> pending, boolean available) {

    /** Whether calls are refused because the definition changed. */
    public boolean isQuarantined() {
        return pending.isPresent();
    }

    /** Its name here, without the backend's. */
    public String name() {
        return definition.name();
    }

    /** As it is after its server declared {@code now}. */
    public PinnedToolDefinition withDeclaration(ToolDefinition now) {
        return new PinnedToolDefinition(
                definition, now.hash().equals(definition.hash()) ? Optional.empty() : Optional.of(now), true);
    }

    /** As it is once its server has it no more. */
    public PinnedToolDefinition asUnavailable() {
        return new PinnedToolDefinition(definition, pending, false);
    }

    /** As it is after an operator has looked. */
    public PinnedToolDefinition withPendingAccepted() {
        return new PinnedToolDefinition(pending.orElse(definition), Optional.empty(), available);
    }
}
