package org.sallyport.sandbox;

import java.util.concurrent.CompletionStage;

/** Runs scripts apart from everything that matters. Thread-safe. */
public interface Sandbox extends AutoCloseable {

    /**
     * Reads a script without running it.
     *
     * @param tenant whose script it is
     * @return the verdict; completes exceptionally with {@link SandboxUnavailableException} when nothing can read it
     */
    CompletionStage<ScriptCheckResult> check(String tenant, Script script);

    /**
     * Starts a session and returns at once; all that happens later, failure to start included, is told to {@code
     * listener}.
     */
    SandboxSession start(SessionRequest request, SessionListener listener);

    /** The present state. */
    SandboxStatus status();

    /** Ends all sessions as {@link SessionResult.SessionLossReason#UNAVAILABLE} and all workers. */
    @Override
    void close();
}
