package org.sallyport.sandbox.pool;

import org.sallyport.sandbox.SessionResult;

/** A session or check that a worker runs for a tenant. */
interface WorkerTask {
    String tenant();

    /** Returns whether no other task may share its worker. */
    boolean needsOwnWorker();

    /** Returns whether the task no longer needs to run. */
    boolean isDone();

    /** Starts the task on a worker, which counts it as load from now on. */
    void runOn(Worker worker, long number);

    /** The worker is gone, or no worker was available. */
    void onWorkerLost(SessionResult end);
}
