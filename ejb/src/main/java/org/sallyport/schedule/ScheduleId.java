package org.sallyport.schedule;

import java.util.Optional;
import java.util.UUID;
import org.sallyport.execution.ExecutionId;

/**
 * Identifies one schedule permanently.
 *
 * @param value a UUID version 7: sorts by time of creation
 */
public record ScheduleId(UUID value) {

    /** Parses the canonical 36-character form; empty for any other text. */
    public static Optional<ScheduleId> parse(String text) {
        return ExecutionId.parse(text).map(id -> new ScheduleId(id.value()));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
