package org.sallyport.submission;

import java.io.OutputStream;
import java.util.function.Consumer;
import org.sallyport.auth.Caller;
import org.sallyport.schedule.Schedule;

/**
 * Makes requests of the stored rows of schedules, in the same way as of the body of a batch. The web module implements
 * it, because it knows the forms of bodies. Thread-safe.
 */
public interface ScheduledRowsReader {

    /**
     * Reads the rows of a schedule.
     *
     * @param caller in whose name the batch is submitted
     * @param schedule a schedule with rows
     * @param content writes the rows
     * @throws ScheduledRowsRefusedException if no batch can be made of them
     */
    OpenBatchRequest open(Caller caller, Schedule schedule, Consumer<OutputStream> content);

    /** A request whose items are in a temporary file until it is closed. */
    interface OpenBatchRequest extends AutoCloseable {
        BatchRequest request();

        @Override
        void close();
    }
}
