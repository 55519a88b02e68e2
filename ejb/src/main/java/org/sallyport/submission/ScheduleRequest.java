package org.sallyport.submission;

import org.sallyport.schedule.CatchUp;
import org.sallyport.schedule.Overlap;
import org.sallyport.schedule.Timing;

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
        String name, Timing timing, Overlap overlap, CatchUp catchUp, boolean paused, RunRequest run) {}
