package org.sallyport.connector;

import java.time.Duration;

/** Where the calls of backends come from that were configured at run time. Thread-safe. */
public interface BackendConsumers {

    /** Begins to take calls from {@code queue}, until what is returned is closed. */
    Subscription subscribe(String queue);

    /** Takes calls from one queue. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();

        /** After {@link #close}: waits for the last call to be handed over, {@code most} at most. */
        default void awaitTermination(Duration most) throws InterruptedException {}
    }
}
