package org.sallyport.schedule;

import org.sallyport.tool.Json;

/**
 * A schedule about to be stored.
 *
 * @param id its id
 * @param tenant the owning tenant
 * @param owner id of the API key in whose name it runs
 * @param name its name, unique within the tenant
 * @param trigger when it is due
 * @param concurrencyPolicy how it fires while an earlier execution has not ended
 * @param misfirePolicy how missed times are handled
 * @param request the run request, or the options of the batch
 * @param paused whether it is paused until it is resumed
 * @param runsBatch whether it submits a batch of its stored rows
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
        boolean paused,
        boolean runsBatch) {}
