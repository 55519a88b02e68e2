package org.sallyport.submission;

import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.MisfirePolicy;
import org.sallyport.schedule.Trigger;

/**
 * A well-formed request to create or replace a schedule.
 *
 * @param name the name of the schedule
 * @param timing when the schedule is due
 * @param overlap the concurrency policy: how the schedule fires while an earlier execution has not ended
 * @param catchUp the misfire policy: how missed times are handled
 * @param paused whether the schedule is paused until it is resumed
 * @param work what to run
 */
public record ScheduleRequest(
        String name,
        Trigger timing,
        ConcurrencyPolicy overlap,
        MisfirePolicy catchUp,
        boolean paused,
        ScheduledWork work) {}
