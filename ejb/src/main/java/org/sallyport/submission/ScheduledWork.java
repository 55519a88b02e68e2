package org.sallyport.submission;

import org.sallyport.tool.Json;

/** What a schedule runs at its times. */
public sealed interface ScheduledWork {

    /** One execution. */
    record SingleRun(RunRequest request) implements ScheduledWork {}

    /**
     * A batch of the stored rows of the schedule.
     *
     * @param options the options of the batch as a JSON object, as {@link ScheduledRowsReader} reads them
     */
    record RowsBatch(Json options) implements ScheduledWork {}
}
