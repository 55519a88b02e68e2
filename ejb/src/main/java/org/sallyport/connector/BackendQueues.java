package org.sallyport.connector;

import java.time.Duration;

/** Where the calls of backends come from that were configured at run time. Thread-safe. */
public interface BackendQueues {

    /** Begins to take calls from {@code queue}, until what is returned is closed. */
    Listening listen(String queue);

    /** Takes calls from one queue. */
    interface Listening extends AutoCloseable {
        @Override
        void close();

        /** After {@link #close}: waits for the last call to be handed over, {@code most} at most. */
        default void awaitEnd(Duration most) throws InterruptedException {}
    }
}
