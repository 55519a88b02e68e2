package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.sallyport.approval.ApprovalState;
import org.sallyport.audit.AuditEntry;

/**
 * Records due reminders of approvals, several in each transaction. A reminder and its audit entry are written in the
 * same transaction.
 */
final class ApprovalReminderWriter {
    private static final int BATCH_SIZE = 50;
    private static final String ACTION = "approval.remind";

    private final Database database;
    private final Supplier<UUID> ids;

    /** @param ids supplies the ids of audit entries */
    ApprovalReminderWriter(Database database, Supplier<UUID> ids) {
        this.database = database;
        this.ids = ids;
    }

    /**
     * The result of one transaction.
     *
     * @param examined number of approvals that were due
     * @param reminded number of them for which a reminder was recorded
     */
    private record ReminderBatchResult(int examined, int reminded) {}

    int remind(int limit) {
        int reminded = 0;
        int looked = 0;
        int last = BATCH_SIZE;
        while (last == BATCH_SIZE && looked < limit) {
            int batchSize = Math.min(BATCH_SIZE, limit - looked);
            ReminderBatchResult step = database.write(session -> remindBatch(session, batchSize));
            last = step.examined();
            looked += last;
            reminded += step.reminded();
        }
        return reminded;
    }

    private ReminderBatchResult remindBatch(EntityManager session, int batchSize) {
        List<?> found = session.createNamedQuery(ApprovalStatements.TO_REMIND)
                .setParameter(1, batchSize)
                .getResultList();
        if (found.isEmpty()) {
            return new ReminderBatchResult(0, 0);
        }
        Instant now = JpaApprovalStore.now(session);
        int reminded = 0;
        for (Object id : found) {
            ApprovalEntity row = session.find(ApprovalEntity.class, (UUID) id);
            if (isStillPending(session, row, now)) {
                row.recordReminder(now);
                JpaAuditStore.addDone(session, toAuditEntry(row));
                reminded++;
            } else {
                row.remindAt = null;
            }
        }
        return new ReminderBatchResult(found.size(), reminded);
    }

    private static boolean isStillPending(EntityManager session, ApprovalEntity row, Instant now) {
        ExecutionEntity execution = session.find(ExecutionEntity.class, row.executionId);
        return row.state == ApprovalState.PENDING
                && row.expiresAt.isAfter(now)
                && execution != null
                && !execution.state.isTerminal();
    }

    private AuditEntry toAuditEntry(ApprovalEntity row) {
        return new AuditEntry(
                ids.get(), row.tenant, "", AuditEntry.AuditChannel.SERVICE, "", ACTION, row.id.toString());
    }
}
