package org.sallyport.callback;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.ExecutionId;

/**
 * Where callbacks live; they get there with their executions. Every method is one transaction, committed when it returns; times are
 * the store's own clock. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer.
 * Thread-safe.
 */
public interface CallbackStore {

    /** The callback of an execution, if it is this tenant's. */
    Optional<Callback> find(String tenant, ExecutionId execution);

    /**
     * The tenant's callbacks in a state, newest first.
     *
     * @param before only those of older executions
     * @param limit at most so many
     */
    List<Callback> list(String tenant, CallbackState state, Optional<ExecutionId> before, int limit);

    /** Has what was delivered or given up be sent again; the callback as it is then, if it is this tenant's. */
    Optional<Callback> redeliver(String tenant, ExecutionId execution);

    /**
     * Makes those due whose executions have ended, however they did. Those that have not are looked at less often the longer they
     * run.
     *
     * @return callbacks of executions that have not ended, at most {@code limit}
     */
    List<ExecutionId> markEndedDue(int limit);

    /** Has the next {@link #markEndedDue} look at this one. */
    void requestCheck(ExecutionId execution);

    /**
     * What is to be sent now.
     *
     * @param attempt how often it was taken, this time included
     * @param dueAt when it became due
     * @param claimedAt the store's time
     */
    record CallbackDelivery(
            ExecutionId execution,
            String tenant,
            String url,
            String host,
            int attempt,
            Instant dueAt,
            Instant claimedAt) {}

    /**
     * Takes one callback that is due. Unless what became of it is recorded in time it is given out again.
     *
     * @param time how long nobody else is given it
     * @param hosts none that goes to one of these
     * @param tenants none of these
     */
    Optional<CallbackDelivery> claimDue(Duration time, Set<String> hosts, Set<String> tenants);

    /** What became of a delivery. */
    record CallbackAttemptResult(Optional<Integer> status, Optional<String> failure) {}

    /** It was taken; false when it was taken out or replayed meanwhile. */
    boolean markDelivered(CallbackDelivery delivery, CallbackAttemptResult attempt);

    /** It was not taken, and is sent again after {@code wait}, or never when that is empty. */
    boolean markFailed(CallbackDelivery delivery, CallbackAttemptResult attempt, Optional<Duration> wait);

    /**
     * What a tenant's signing secret is derived from.
     *
     * @param fingerprint tells whether the secret derived is the one that was shown
     * @param previousSalt the salt before, while it signs too
     */
    record SigningSalt(String salt, String fingerprint, Optional<String> previousSalt) {}

    /** The tenant's, if it has one. */
    Optional<SigningSalt> findSalt(String tenant);

    /**
     * Gives the tenant another.
     *
     * @param overlap how long the one before signs too
     */
    void replaceSalt(String tenant, String salt, String print, Duration overlap);
}
