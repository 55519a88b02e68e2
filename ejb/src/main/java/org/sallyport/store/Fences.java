package org.sallyport.store;

import jakarta.persistence.EntityManager;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Fence;

/** Whether a writer still holds its execution. */
final class Fences {
    private Fences() {}

    static boolean holds(EntityManager session, Fence fence) {
        ExecutionRow row = session.find(ExecutionRow.class, fence.id().value());
        return row != null && row.attempt == fence.attempt() && row.state == ExecutionState.RUNNING;
    }
}
