package org.sallyport.callback;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.execution.ExecutionId;

/**
 * Stores callbacks; they are inserted together with their executions. Every method is one transaction, committed when
 * it returns; times come from the store's own clock. Throws {@link org.sallyport.execution.StoreUnavailableException}
 * when the store does not answer. Thread-safe.
 */
public interface CallbackStore {

    /** Returns the callback of an execution; empty when the tenant has no such callback. */
    Optional<Callback> find(String tenant, ExecutionId execution);

    /**
     * Returns the tenant's callbacks in a state, newest first.
     *
     * @param before only callbacks of older executions
     * @param limit maximum number of callbacks
     */
    List<Callback> list(String tenant, CallbackState state, Optional<ExecutionId> before, int limit);

    /**
     * Makes a delivered or failed callback due again. Returns the callback afterwards; empty when the tenant has no
     * such callback.
     */
    Optional<Callback> redeliver(String tenant, ExecutionId execution);

    /**
     * Makes the callbacks of ended executions due, in all terminal states. Unfinished executions are checked less often
     * the longer they run.
     *
     * @return callbacks of executions that have not ended, at most {@code limit}
     */
    List<ExecutionId> markEndedDue(int limit);

    /** Makes the next {@link #markEndedDue} check this execution. */
    void requestCheck(ExecutionId execution);

    /**
     * A claimed callback to send.
     *
     * @param attempt how often it was claimed, including this time
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
     * Claims one due callback. It is returned again unless its result is recorded in time.
     *
     * @param time how long no other caller receives it
     * @param hosts excludes callbacks to these hosts
     * @param tenants excludes callbacks of these tenants
     */
    Optional<CallbackDelivery> claimDue(Duration time, Set<String> hosts, Set<String> tenants);

    /** Result of one attempt. */
    record CallbackAttemptResult(Optional<Integer> status, Optional<String> failure) {}

    /** Records a delivery. Returns false when the callback was claimed again or redelivered meanwhile. */
    boolean markDelivered(CallbackDelivery delivery, CallbackAttemptResult attempt);

    /** Records a failed attempt; the callback is sent again after {@code wait}, or given up when that is empty. */
    boolean markFailed(CallbackDelivery delivery, CallbackAttemptResult attempt, Optional<Duration> wait);

    /**
     * The salts from which a tenant's signing secrets are derived.
     *
     * @param fingerprint fingerprint of the secret that was shown, to verify the derived one
     * @param previousSalt the previous salt, while it also signs
     */
    record SigningSalt(String salt, String fingerprint, Optional<String> previousSalt) {}

    /** Returns the tenant's salt; empty when it has none. */
    Optional<SigningSalt> findSalt(String tenant);

    /**
     * Replaces the tenant's salt.
     *
     * @param overlap how long the previous salt also signs
     */
    void replaceSalt(String tenant, String salt, String print, Duration overlap);
}
