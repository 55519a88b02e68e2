package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.CancelRequest;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionState;

/**
 * Advances one batch in one transaction, which locks the batch. Marks ended items and admits queued ones up to the
 * batch's parallelism limit. Reads only items that count as active, of which there are never more than that limit, so
 * that the cost does not depend on the size of the batch. Not thread-safe; use one instance per transaction.
 */
final class BatchAdmission {
    private static final CancelRequest FAILURE = CancelRequest.ofService("an execution of its batch failed");

    private final EntityManager session;
    private final BatchId id;
    private final long firstCheckMillis;

    BatchAdmission(EntityManager session, BatchId id, long firstCheckMillis) {
        this.session = session;
        this.id = id;
        this.firstCheckMillis = firstCheckMillis;
    }

    List<ExecutionJob> advance() {
        List<@Nullable Object[]> locked = JpaBatchStore.selectRows(session, BatchStatements.LOCK, id.value());
        if (locked.isEmpty()) {
            return List.of();
        }
        @Nullable Object[] batch = locked.get(0);
        int maxConcurrent = JpaBatchStore.number(batch[0]);
        boolean stops = JpaBatchStore.text(batch[1]).equals(BatchFailurePolicy.STOP.name());
        int underWay = 0;
        boolean failed = false;
        for (@Nullable Object[] row : JpaBatchStore.selectRows(session, BatchStatements.ACTIVE_ITEMS, id.value())) {
            ExecutionState state = row[1] == null ? null : ExecutionState.valueOf(JpaBatchStore.text(row[1]));
            if (state == null || state.isTerminal()) {
                setItemStatus(JpaBatchStore.number(row[0]), "DONE");
                failed |= state == ExecutionState.FAILED || state == ExecutionState.TIMED_OUT;
            } else {
                underWay++;
            }
        }
        if (failed && stops) {
            JpaBatchStore.stopBatch(session, id, "failure", FAILURE);
            return List.of();
        }
        return admitNext(maxConcurrent, underWay, LosslessText.decode(JpaBatchStore.text(batch[2])), stops);
    }

    private List<ExecutionJob> admitNext(int maxConcurrent, int underWay, String tenant, boolean stops) {
        List<ExecutionJob> jobs = new ArrayList<>();
        while (underWay + jobs.size() < maxConcurrent) {
            List<@Nullable Object[]> queued = JpaBatchStore.selectRows(
                    session, BatchStatements.QUEUED_ITEMS, id.value(), maxConcurrent - underWay - jobs.size());
            for (@Nullable Object[] row : queued) {
                int index = JpaBatchStore.number(row[0]);
                if (ExecutionState.PENDING.name().equals(row[2])) {
                    setItemStatus(index, "ACTIVE");
                    JpaBatchStore.nativeQuery(
                                    session,
                                    BatchStatements.ADMIT_EXECUTION,
                                    JpaBatchStore.uuid(row[1]),
                                    firstCheckMillis)
                            .executeUpdate();
                    jobs.add(new ExecutionJob(
                            new ExecutionId(JpaBatchStore.uuid(row[1])),
                            tenant,
                            JpaBatchStore.number(row[3]),
                            JpaBatchStore.number(row[4])));
                } else {
                    // The execution was cancelled before its admission, or passed its deadline.
                    setItemStatus(index, "DONE");
                    if (stops && ExecutionState.TIMED_OUT.name().equals(row[2])) {
                        JpaBatchStore.stopBatch(session, id, "failure", FAILURE);
                        return List.of();
                    }
                }
            }
            if (queued.isEmpty()) {
                break;
            }
        }
        if (underWay + jobs.size() == 0) {
            JpaBatchStore.finishBatch(session, id);
        }
        return jobs;
    }

    private void setItemStatus(int index, String status) {
        JpaBatchStore.nativeQuery(session, BatchStatements.SET_ITEM_STATUS, id.value(), index, status)
                .executeUpdate();
    }
}
