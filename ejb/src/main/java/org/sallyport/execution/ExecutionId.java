package org.sallyport.execution;

import java.util.Optional;
import java.util.UUID;

/**
 * Identifies one execution permanently.
 *
 * @param value a UUID version 7: sorts by time of creation
 */
public record ExecutionId(UUID value) implements Comparable<ExecutionId> {

    /** Parses the canonical 36-character form; empty for any other text. */
    public static Optional<ExecutionId> parse(String text) {
        if (text.length() != 36) {
            return Optional.empty();
        }
        try {
            UUID uuid = UUID.fromString(text);
            return uuid.toString().equalsIgnoreCase(text) ? Optional.of(new ExecutionId(uuid)) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Compares like the canonical text {@link #toString()}, so the order is that of creation. */
    @Override
    public int compareTo(ExecutionId other) {
        int high = Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
        return high != 0
                ? high
                : Long.compareUnsigned(value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
