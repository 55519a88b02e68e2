package org.sallyport.sandbox.pool;

import java.io.Closeable;
import java.io.IOException;

/** Starts workers. */
interface WorkerStarter extends Closeable {
    /** Starts a worker that will come to the door and show {@code token}. */
    StartedWorkerProcess start(String token) throws IOException;

    /** Makes later starts faster where that is possible; called once, when the first worker is ready. */
    default void prepare() {}

    /** Ends what still prepares. */
    @Override
    default void close() {}
}
