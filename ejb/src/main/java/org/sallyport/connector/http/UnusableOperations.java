package org.sallyport.connector.http;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sallyport.catalog.ToolDefinition;

/**
 * The operations of a document that cannot be called.
 *
 * @param listed the first of them
 * @param count how many there are, with those that are not listed
 */
record UnusableOperations(List<UnusableOperation> listed, int count) {
    static final UnusableOperations NONE = new UnusableOperations(List.of(), 0);

    private static final int MAX_SHOWN = 10;

    UnusableOperations {
        listed = List.copyOf(listed);
    }

    /**
     * One operation that cannot be called.
     *
     * @param definition its name and its description, with a schema for any arguments
     * @param reason why it cannot be called, as a sentence about the operation
     */
    record UnusableOperation(ToolDefinition definition, String reason) {}

    /** Returns those with other names than {@code replaced}. */
    UnusableOperations without(Set<String> replaced) {
        List<UnusableOperation> kept = listed.stream()
                .filter(operation -> !replaced.contains(operation.definition().name()))
                .toList();
        return new UnusableOperations(kept, count - (listed.size() - kept.size()));
    }

    /** Returns a line for people: how many there are, and the reasons of the first; empty if there are none. */
    Optional<String> summary() {
        if (count == 0) {
            return Optional.empty();
        }
        String reasons = listed.stream()
                .limit(MAX_SHOWN)
                .map(operation -> ImportedOpenApiDocument.abbreviate(
                                operation.definition().name())
                        + ": " + operation.reason())
                .collect(Collectors.joining("; "));
        return Optional.of(count + (count == 1 ? " operation" : " operations")
                + " of its OpenAPI document cannot be called ("
                + reasons + (count > Math.min(MAX_SHOWN, listed.size()) ? "; …" : "") + ")");
    }
}
