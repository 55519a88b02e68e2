package org.sallyport.submission;

import java.io.OutputStream;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.batch.BatchInsertResult;
import org.sallyport.batch.NewBatch;
import org.sallyport.batch.NewBatchItem;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleBatchStore;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.schedule.ScheduleRowsStore;

/**
 * Submits the batches of schedules: reads the stored rows, checks them like the body of a batch, and stores the batch
 * in the transaction that marks the time of the schedule as handled. Blocks. Thread-safe.
 */
public final class ScheduledBatchService {
    private final ScheduleRowsStore rows;
    private final ScheduleBatchStore store;
    private final BatchService batches;
    private final CapabilityRunService capabilities;
    private final AtomicReference<@Nullable ScheduledRowsReader> reader = new AtomicReference<>();

    public ScheduledBatchService(
            ScheduleRowsStore rows, ScheduleBatchStore store, BatchService batches, CapabilityRunService capabilities) {
        this.rows = rows;
        this.store = store;
        this.batches = batches;
        this.capabilities = capabilities;
    }

    /** Sets the reader of rows. Until then {@link #isReady} is false. */
    public void useReader(ScheduledRowsReader rowsReader) {
        reader.set(rowsReader);
    }

    /** Returns whether rows can be read on this node. */
    boolean isReady() {
        return reader.get() != null;
    }

    /**
     * Submits the batch for a claimed time, in the owner's name. Throws {@link ScheduledRowsRefusedException}, and
     * {@link org.sallyport.execution.StoreUnavailableException} when the batch could not be stored.
     */
    BatchSubmissionResult fire(Schedule schedule, FireDecision.FireNow turn, Caller owner) {
        return submit(
                schedule,
                owner,
                (batch, items) -> store.fireBatch(schedule, turn, batch, items) instanceof FireResult.BatchFired);
    }

    /**
     * Submits the batch of a schedule now, in the caller's name. Throws {@link ScheduledRowsRefusedException}; returns
     * {@link BatchSubmissionResult.BatchSuperseded} if the schedule was changed meanwhile.
     *
     * @param schedule a schedule that submits batches
     */
    public BatchSubmissionResult runNow(Caller caller, Schedule schedule) {
        return submit(schedule, caller, (batch, items) -> store.runBatchNow(schedule, batch, items));
    }

    /** Stores a batch. Returns false if the schedule was changed and nothing is stored. */
    @FunctionalInterface
    private interface ScheduledBatchInserter {
        boolean insert(NewBatch batch, Iterator<NewBatchItem> items);
    }

    private BatchSubmissionResult submit(Schedule schedule, Caller caller, ScheduledBatchInserter inserter) {
        ScheduleRows file = schedule.rows()
                .orElseThrow(() -> new ScheduledRowsRefusedException("it has no rows; upload a file of rows first"));
        ScheduledRowsReader rowsReader = reader.get();
        if (rowsReader == null) {
            return new BatchSubmissionResult.BatchServiceBusy();
        }
        // First, because the file can be large.
        Optional<SubmissionResult> exhausted = batches.findExhaustedQuota(caller);
        if (exhausted.isPresent()) {
            return new BatchSubmissionResult.RefusedAsSubmission(exhausted.get());
        }
        try (ScheduledRowsReader.OpenBatchRequest open = rowsReader.open(caller, schedule, content(schedule, file))) {
            Optional<SubmissionResult> refusal =
                    open.request().capability().flatMap(ref -> findCapabilityRefusal(caller, ref));
            if (refusal.isPresent()) {
                return new BatchSubmissionResult.RefusedAsSubmission(refusal.get());
            }
            return batches.submit(
                    caller,
                    open.request(),
                    (batch, items) -> inserter.insert(batch, items)
                            ? new BatchInsertResult.BatchInserted()
                            : new BatchInsertResult.BatchInsertSuperseded());
        } catch (RowsReplacedException e) {
            return new BatchSubmissionResult.BatchSuperseded();
        }
    }

    private Consumer<OutputStream> content(Schedule schedule, ScheduleRows file) {
        return out -> {
            if (!rows.copyRows(schedule.id(), file, out)) {
                throw new RowsReplacedException();
            }
        };
    }

    /** What all rows need first: without it, each row would be refused, at each time again. */
    private Optional<SubmissionResult> findCapabilityRefusal(Caller caller, CapabilityRef ref) {
        return capabilities
                .find(caller.tenant(), ref.name(), ref.version())
                .map(capability -> capabilities.prepare(caller.tenant(), capability))
                .flatMap(prepared -> prepared instanceof CapabilityPreparation.CapabilityUnprepared unprepared
                        ? Optional.of(unprepared.reason())
                        : Optional.empty());
    }

    /** The rows were replaced while they were read. */
    private static final class RowsReplacedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RowsReplacedException() {
            super("the rows were replaced while they were read", null, false, false);
        }
    }
}
