package org.sallyport.bean;

import java.time.Instant;

/** The call that a tool handles. A parameter of this type is not an argument. Thread-safe. */
public interface ToolContext {

    /** Returns the idempotency key of the call. It stays the same after a crash and when the call is repeated. */
    String callId();

    /** Returns the tenant on whose behalf the call is made. */
    String tenant();

    /** Returns the instant after which the caller no longer waits for the result. */
    Instant deadline();

    /** Returns whether the caller no longer waits for the result. */
    boolean isCancelled();

    /**
     * Runs {@code action} once the caller no longer waits for the call; immediately when that is already the case. The
     * action does not run after the call was answered. Independently of this, the thread of a blocked method is
     * interrupted.
     */
    void onCancel(Runnable action);

    /** Reports progress. The last message is reported when the call times out. */
    void progress(String message);
}
