package org.sallyport.execution;

import java.util.Optional;
import java.util.UUID;

/**
 * Names one batch of executions, for ever.
 *
 * @param value a UUID version 7: sorts by time of creation
 */
public record BatchId(UUID value) {

    /** Reads the canonical 36-character form and nothing else. */
    public static Optional<BatchId> parse(String text) {
        return ExecutionId.parse(text).map(id -> new BatchId(id.value()));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
