package org.sallyport.schedule;

import org.sallyport.tool.Json;

/**
 * A schedule about to be written.
 *
 * @param id its id
 * @param tenant whose it is
 * @param owner id of the key in whose name it runs
 * @param name its name, unlike those of the tenant's others
 * @param trigger when it is due
 * @param concurrencyPolicy what happens when an execution of it has not ended
 * @param misfirePolicy what happens to times that were missed
 * @param request what runs
 * @param paused whether it waits to be resumed
 */
public record NewSchedule(
        ScheduleId id,
        String tenant,
        String owner,
        String name,
        Trigger trigger,
        ConcurrencyPolicy concurrencyPolicy,
        MisfirePolicy misfirePolicy,
        Json request,
        boolean paused) {}
