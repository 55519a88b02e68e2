package org.sallyport.bean;

import java.time.Instant;

/** The call that a tool answers; a parameter of this type is no argument. Thread-safe. */
public interface ToolContext {

    /** The call's name, the same after every crash and when it is made again: an idempotency key. */
    String callId();

    /** On whose behalf it is made. */
    String tenant();

    /** When nobody waits for it any more. */
    Instant deadline();

    /** Whether nobody waits for it any more. */
    boolean isCancelled();

    /**
     * Has {@code action} run once nobody waits for the call any more; at once, when nobody does. It is not run after the call was answered. The thread
     * of a method that waits is interrupted besides.
     */
    void onCancel(Runnable action);

    /** Says how far it is; the last of it is told when the call takes too long. */
    void progress(String message);
}
