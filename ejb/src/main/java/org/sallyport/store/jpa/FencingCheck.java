package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;

/** Checks whether a writer's fencing token is still the current one of a running execution. Stateless. */
final class FencingCheck {
    private FencingCheck() {}

    static boolean isOwner(EntityManager session, FencingToken fence) {
        ExecutionEntity row = session.find(ExecutionEntity.class, fence.id().value());
        return row != null && row.attempt == fence.attempt() && row.state == ExecutionState.RUNNING;
    }
}
