package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Set;
import org.sallyport.schedule.Schedule;
import org.sallyport.submission.ScheduleService;

/**
 * The options of a batch of the rows of a schedule.
 *
 * @param toMembers the members of {@code batch} of the schedule
 * @param labels labels of all executions
 */
record RowOptions(ObjectNode toMembers, Map<String, String> labels) implements BatchOptions {
    static final Set<String> KNOWN_MEMBERS = Set.of(
            "capability",
            "version",
            "integrity",
            "atomic",
            "coalesce",
            "maxParallel",
            "onFailure",
            BatchBodyReader.SHARE_READS);

    /** The stored options of a schedule that submits batches. */
    static RowOptions of(Schedule schedule) {
        return new RowOptions(
                BoundedJson.parseStoredObject(schedule.request()), Map.of(ScheduleService.LABEL, schedule.name()));
    }

    @Override
    public boolean namesCapability() {
        return true;
    }
}
