package org.sallyport.sandbox;

/** One running script. Thread-safe; messages that arrive after the end of the session are dropped. */
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
     * Reports that the answer to a call will take long. A session that waits only for such answers and for its timers
     * ends as {@link SessionResult.SessionParked}, if its request allows parking.
     */
    void postpone(long call);

    /**
     * Reports that slots are scarce. From now on, a session that waits only for its timers for {@code millis} or longer
     * ends as {@link SessionResult.SessionParked}, if its request allows parking. A lower threshold of the request
     * stays in force.
     */
    void lowerParkThreshold(long millis);

    /**
     * Stops the script in any state. {@link SessionListener#onEnded} follows within two seconds, with {@link
     * SessionResult.SessionCancelled} unless the session had already ended otherwise.
     */
    void cancel();
}
