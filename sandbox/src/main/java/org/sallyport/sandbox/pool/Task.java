package org.sallyport.sandbox.pool;

import org.sallyport.sandbox.SessionEnd;

/** Something that a worker does for a tenant. */
interface Task {
    String tenant();

    /** Whether it need not be done any more. */
    boolean isOver();

    /** Begins on a worker that counts it as its load from now on. */
    void runOn(Worker worker, long number);

    /** The worker is gone, or none could be had. */
    void lost(SessionEnd end);
}
