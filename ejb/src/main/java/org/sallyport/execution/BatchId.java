package org.sallyport.execution;

import java.util.Optional;
import java.util.UUID;

/**
 * Identifies one batch of executions permanently.
 *
 * @param value a UUID version 7: sorts by time of creation
 */
public record BatchId(UUID value) {

    /** Parses the canonical 36-character form; empty for any other text. */
    public static Optional<BatchId> parse(String text) {
        return ExecutionId.parse(text).map(id -> new BatchId(id.value()));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
