package org.sallyport.sandbox.pool;

import org.sallyport.sandbox.SessionResult;

/** Something that a worker does for a tenant. */
interface WorkerTask {
    String tenant();

    /** Whether it need not be done any more. */
    boolean isDone();

    /** Begins on a worker that counts it as its load from now on. */
    void runOn(Worker worker, long number);

    /** The worker is gone, or none could be had. */
    void onWorkerLost(SessionResult end);
}
