package org.sallyport.store;

import jakarta.persistence.EntityManager;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;

/** Whether a writer still holds its execution. */
final class FencingCheck {
    private FencingCheck() {}

    static boolean isOwner(EntityManager session, FencingToken fence) {
        ExecutionEntity row = session.find(ExecutionEntity.class, fence.id().value());
        return row != null && row.attempt == fence.attempt() && row.state == ExecutionState.RUNNING;
    }
}
