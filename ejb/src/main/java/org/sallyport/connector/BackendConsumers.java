package org.sallyport.connector;

import java.time.Duration;

/** Subscribes to the queues of backends that were configured at run time. Thread-safe. */
public interface BackendConsumers {

    /** Starts to consume calls from {@code queue}, until the returned subscription is closed. */
    Subscription subscribe(String queue);

    /** A consumer of the calls of one queue. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();

        /** Call after {@link #close}: waits until the last received call is handed over, at most {@code timeout}. */
        default void awaitTermination(Duration timeout) throws InterruptedException {}
    }
}
