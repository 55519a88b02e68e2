package org.sallyport.connector;

/** Where the calls of backends come from that were configured at run time. Thread-safe. */
public interface BackendQueues {

    /** Begins to take calls from {@code queue}, until what is returned is closed. */
    Listening listen(String queue);

    /** Takes calls from one queue. */
    interface Listening extends AutoCloseable {
        @Override
        void close();
    }
}
