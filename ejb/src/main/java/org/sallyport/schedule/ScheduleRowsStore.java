package org.sallyport.schedule;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * Stores the rows of schedules. Every method is one transaction, committed when it returns, unless it says otherwise.
 * Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ScheduleRowsStore {

    /**
     * Replaces the rows of a schedule that submits batches, as a whole or not at all. The schedule then runs in the
     * name of {@link ScheduleRows#uploadedBy}. Firings that began with the earlier rows are superseded. Stores nothing
     * when the schedule was changed or deleted since it was read: the rows were checked for what it ran then.
     *
     * @param seen the schedule as it was read before the rows were checked
     * @param content has as many bytes as {@code rows} says; read once
     * @param maxTenantBytes maximum number of bytes of the rows of all schedules of the tenant together; uploads at the
     *     same time can exceed it
     */
    PutRowsResult putRows(Schedule seen, ScheduleRows rows, InputStream content, long maxTenantBytes);

    /**
     * Writes the content of the rows to {@code out}, chunk by chunk, each in its own transaction. Returns false, after
     * it may have written a part, when the rows were replaced or deleted meanwhile.
     */
    boolean copyRows(ScheduleId id, ScheduleRows rows, OutputStream out);
}
