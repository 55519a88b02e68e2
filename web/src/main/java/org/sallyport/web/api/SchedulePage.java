package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;

/**
 * A page of schedules without their requests. A request may have megabytes, so only a few are in memory at the same
 * time.
 *
 * @param summaries the schedules in order
 * @param next the last schedule of the page, if more follow
 */
record SchedulePage(List<ObjectNode> summaries, Optional<ScheduleId> next) {
    private static final int MAX_READ = 8;

    SchedulePage {
        summaries = List.copyOf(summaries);
    }

    /** The source of schedules: those with an id before {@code before}, newest first, at most {@code limit}. */
    interface ScheduleSource {
        List<Schedule> read(Optional<ScheduleId> before, int limit);
    }

    static SchedulePage read(ScheduleSource source, Optional<ScheduleId> before, int limit) {
        List<ObjectNode> summaries = new ArrayList<>();
        Optional<ScheduleId> last = before;
        while (true) {
            int asked = Math.min(MAX_READ, limit + 1 - summaries.size());
            List<Schedule> found = source.read(last, asked);
            for (Schedule schedule : found) {
                if (summaries.size() == limit) {
                    return new SchedulePage(summaries, last);
                }
                summaries.add(ScheduleMapper.summary(schedule));
                last = Optional.of(schedule.id());
            }
            if (found.size() < asked) {
                return new SchedulePage(summaries, Optional.empty());
            }
        }
    }
}
