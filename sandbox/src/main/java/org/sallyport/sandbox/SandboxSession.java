package org.sallyport.sandbox;

/** One running script. Thread-safe; everything sent after the end is dropped. */
public interface SandboxSession {

    /**
     * Answers a call.
     *
     * @param call ordinal of the call
     * @param result JSON text of the result
     */
    void resolve(long call, String result);

    /** Fails a call. */
    void reject(long call, GuestError error);

    /**
     * Says that the answer to a call will take long: a session that waits for such answers and its timers alone ends as
     * {@link SessionResult.SessionParked}, if its request lets it.
     */
    void postpone(long call);

    /**
     * Says that places are few: from now on a session that waits for its timers for {@code millis} or longer ends as {@link
     * SessionResult.SessionParked}, if its request lets it be parked at all and did not say less.
     */
    void lowerParkThreshold(long millis);

    /**
     * Stops the script whatever it does; {@link SessionListener#onEnded} follows within two seconds, with {@link
     * SessionResult.SessionCancelled} unless it had ended otherwise before.
     */
    void cancel();
}
