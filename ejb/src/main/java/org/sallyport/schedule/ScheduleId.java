package org.sallyport.schedule;

import java.util.Optional;
import java.util.UUID;
import org.sallyport.execution.ExecutionId;

/**
 * Names one schedule, for ever.
 *
 * @param value a UUID version 7: sorts by time of creation
 */
public record ScheduleId(UUID value) {

    /** Reads the canonical 36-character form and nothing else. */
    public static Optional<ScheduleId> parse(String text) {
        return ExecutionId.parse(text).map(id -> new ScheduleId(id.value()));
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
