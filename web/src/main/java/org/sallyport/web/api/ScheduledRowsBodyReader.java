package org.sallyport.web.api;

import jakarta.ws.rs.core.MediaType;
import java.io.OutputStream;
import java.util.Optional;
import java.util.function.Consumer;
import org.sallyport.auth.Caller;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.submission.BatchRequest;
import org.sallyport.submission.ScheduledRowsReader;
import org.sallyport.submission.ScheduledRowsRefusedException;
import org.sallyport.web.ProblemException;

/** Reads the stored rows of schedules like the body of a batch. Thread-safe. */
final class ScheduledRowsBodyReader implements ScheduledRowsReader {
    private final BatchReader reader;

    ScheduledRowsBodyReader(BatchReader reader) {
        this.reader = reader;
    }

    @Override
    public OpenBatchRequest open(Caller caller, Schedule schedule, Consumer<OutputStream> content) {
        ScheduleRows rows = schedule.rows().orElseThrow();
        SpooledBody body = reader.emptyBody();
        try {
            content.accept(body.write());
            BatchRequest request = reader.read(
                    caller,
                    BatchFormat.of(MediaType.valueOf(rows.contentType())),
                    RowOptions.of(schedule),
                    body,
                    Optional.empty());
            return new SpooledRequest(request, body);
        } catch (ProblemException e) {
            body.close();
            throw new ScheduledRowsRefusedException(e.problem().detail());
        } catch (RuntimeException e) {
            body.close();
            throw e;
        }
    }

    private record SpooledRequest(BatchRequest request, SpooledBody body) implements OpenBatchRequest {
        @Override
        public void close() {
            body.close();
        }
    }
}
