package org.sallyport.submission;

import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.MisfirePolicy;
import org.sallyport.schedule.Trigger;

/**
 * What a caller asks to have run at times; already of the right form.
 *
 * @param name its name
 * @param timing when it is due
 * @param overlap what happens when an execution of it has not ended
 * @param catchUp what happens to times that were missed
 * @param paused whether it waits to be resumed
 * @param run what runs
 */
public record ScheduleRequest(
        String name,
        Trigger timing,
        ConcurrencyPolicy overlap,
        MisfirePolicy catchUp,
        boolean paused,
        RunRequest run) {}
