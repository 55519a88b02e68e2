package org.sallyport.sandbox;

import java.util.concurrent.CompletionStage;

/** Runs scripts isolated from the host. Thread-safe. */
public interface Sandbox extends AutoCloseable {

    /**
     * Checks a script without running it.
     *
     * @param tenant the tenant that submitted the script
     * @return the result; completes exceptionally with {@link SandboxUnavailableException} when no worker can check it
     */
    CompletionStage<ScriptCheckResult> check(String tenant, Script script);

    /**
     * Finds the names that a script refers to; it need not be valid.
     *
     * @param tenant the tenant that submitted the script
     * @return the names; completes exceptionally with {@link SandboxUnavailableException} when no worker can read it
     */
    CompletionStage<ScriptReferences> findReferences(String tenant, Script script);

    /**
     * Starts a session and returns at once. The sandbox reports all later events to {@code listener}, including a
     * failure to start.
     */
    SandboxSession start(SessionRequest request, SessionListener listener);

    /** Returns a snapshot of the current state. */
    SandboxStatus status();

    /** Ends all sessions as {@link SessionResult.SessionLossReason#UNAVAILABLE} and stops all workers. */
    @Override
    void close();
}
