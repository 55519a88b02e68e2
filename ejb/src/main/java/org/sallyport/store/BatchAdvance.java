package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sallyport.batch.OnFailure;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.PendingJob;

/**
 * Moves one batch on, within one transaction that has the batch to itself. Looks only at what counts as under way, which is
 * never more than may be, so that a batch of any size costs the same each time.
 */
final class BatchAdvance {
    private final EntityManager session;
    private final BatchId id;
    private final long firstCheckMillis;

    BatchAdvance(EntityManager session, BatchId id, long firstCheckMillis) {
        this.session = session;
        this.id = id;
        this.firstCheckMillis = firstCheckMillis;
    }

    List<PendingJob> advance() {
        List<@Nullable Object[]> locked = JpaBatchStore.rows(session, BatchStatements.LOCK, id.value());
        if (locked.isEmpty()) {
            return List.of();
        }
        @Nullable Object[] batch = locked.get(0);
        int most = JpaBatchStore.number(batch[0]);
        boolean stops = JpaBatchStore.text(batch[1]).equals(OnFailure.STOP.name());
        int underWay = 0;
        boolean failed = false;
        for (@Nullable Object[] row : JpaBatchStore.rows(session, BatchStatements.SENT, id.value())) {
            ExecutionState state = row[1] == null ? null : ExecutionState.valueOf(JpaBatchStore.text(row[1]));
            if (state == null || state.terminal()) {
                move(JpaBatchStore.number(row[0]), "OVER");
                failed |= state == ExecutionState.FAILED || state == ExecutionState.TIMED_OUT;
            } else {
                underWay++;
            }
        }
        if (failed && stops) {
            JpaBatchStore.stop(session, id, "failure");
            return List.of();
        }
        return letGo(most, underWay, LosslessText.decode(JpaBatchStore.text(batch[2])), stops);
    }

    private List<PendingJob> letGo(int most, int underWay, String tenant, boolean stops) {
        List<PendingJob> jobs = new ArrayList<>();
        while (underWay + jobs.size() < most) {
            List<@Nullable Object[]> held =
                    JpaBatchStore.rows(session, BatchStatements.HELD, id.value(), most - underWay - jobs.size());
            for (@Nullable Object[] row : held) {
                int index = JpaBatchStore.number(row[0]);
                if (ExecutionState.PENDING.name().equals(row[2])) {
                    move(index, "SENT");
                    JpaBatchStore.query(session, BatchStatements.LET_GO, JpaBatchStore.uuid(row[1]), firstCheckMillis)
                            .executeUpdate();
                    jobs.add(new PendingJob(
                            new ExecutionId(JpaBatchStore.uuid(row[1])),
                            tenant,
                            JpaBatchStore.number(row[3]),
                            JpaBatchStore.number(row[4])));
                } else {
                    // Cancelled before its turn, or past its deadline.
                    move(index, "OVER");
                    if (stops && ExecutionState.TIMED_OUT.name().equals(row[2])) {
                        JpaBatchStore.stop(session, id, "failure");
                        return List.of();
                    }
                }
            }
            if (held.isEmpty()) {
                break;
            }
        }
        if (underWay + jobs.size() == 0) {
            JpaBatchStore.query(session, BatchStatements.DONE, id.value()).executeUpdate();
        }
        return jobs;
    }

    private void move(int index, String standing) {
        JpaBatchStore.query(session, BatchStatements.MOVE, id.value(), index, standing)
                .executeUpdate();
    }
}
