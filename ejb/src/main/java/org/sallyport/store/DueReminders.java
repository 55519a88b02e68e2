package org.sallyport.store;

import jakarta.persistence.EntityManager;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.sallyport.approval.ApprovalState;
import org.sallyport.audit.AuditEntry;

/** Reminds people of approvals, some in each transaction: the reminder and its entry in the audit log are there together or not at all. */
final class DueReminders {
    private static final int STEP = 50;
    private static final String ACTION = "approval.remind";

    private final Database database;
    private final Supplier<UUID> ids;

    /** @param ids of entries in the audit log */
    DueReminders(Database database, Supplier<UUID> ids) {
        this.database = database;
        this.ids = ids;
    }

    /** How many were looked at, and of how many of them people are reminded. */
    private record Step(int looked, int reminded) {}

    int remind(int limit) {
        int reminded = 0;
        int looked = 0;
        int last = STEP;
        while (last == STEP && looked < limit) {
            int most = Math.min(STEP, limit - looked);
            Step step = database.write(session -> some(session, most));
            last = step.looked();
            looked += last;
            reminded += step.reminded();
        }
        return reminded;
    }

    private Step some(EntityManager session, int most) {
        List<?> found = session.createNamedQuery(ApprovalStatements.TO_REMIND)
                .setParameter(1, most)
                .getResultList();
        if (found.isEmpty()) {
            return new Step(0, 0);
        }
        Instant now = JpaApprovalStore.now(session);
        int reminded = 0;
        for (Object id : found) {
            ApprovalRow row = session.find(ApprovalRow.class, (UUID) id);
            if (isToBeDecided(session, row, now)) {
                row.remind(now);
                JpaAuditStore.done(session, entry(row));
                reminded++;
            } else {
                row.remindAt = null;
            }
        }
        return new Step(found.size(), reminded);
    }

    private static boolean isToBeDecided(EntityManager session, ApprovalRow row, Instant now) {
        ExecutionRow execution = session.find(ExecutionRow.class, row.executionId);
        return row.state == ApprovalState.PENDING
                && row.expiresAt.isAfter(now)
                && execution != null
                && !execution.state.terminal();
    }

    private AuditEntry entry(ApprovalRow row) {
        return new AuditEntry(ids.get(), row.tenant, "", AuditEntry.Door.SERVICE, "", ACTION, row.id.toString());
    }
}
