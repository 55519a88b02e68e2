package org.sallyport.sandbox.pool;

import java.io.Closeable;
import java.io.IOException;

/** Starts workers. */
interface WorkerStarter extends Closeable {
    /** Starts a worker that will connect to the socket and present {@code token}. */
    StartedWorkerProcess start(String token) throws IOException;

    /** Makes later starts faster if possible; called once, when the first worker is ready. */
    default void prepare() {}

    /** Stops a running preparation. */
    @Override
    default void close() {}
}
