package org.sallyport.execution;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When an execution may start, when it must have ended, with which executions it may not run concurrently, and whether
 * another attempt follows when it fails.
 *
 * @param notBefore earliest start, by the store's clock
 * @param delay earliest start relative to the acceptance; excludes {@code notBefore}. A stored execution has the
 *     resulting {@code notBefore} instead
 * @param deadline when it ends at the latest, by the store's clock, whether it runs or waits
 * @param concurrencyKey limits how many executions of its tenant with the same key are live at the same time
 * @param retry when another attempt follows a failure, if ever
 */
public record AdmissionConstraints(
        Optional<Instant> notBefore,
        Optional<Duration> delay,
        Optional<Instant> deadline,
        Optional<String> concurrencyKey,
        Optional<RetryPolicy> retry) {
    /** No constraints. */
    public static final AdmissionConstraints NONE = new AdmissionConstraints(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Returns constraints with {@code moment} as the earliest start. */
    public static AdmissionConstraints notBefore(Instant moment) {
        return new AdmissionConstraints(
                Optional.of(moment), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Returns constraints that delay the start by {@code delay}. */
    public static AdmissionConstraints afterDelay(Duration delay) {
        return new AdmissionConstraints(
                Optional.empty(), Optional.of(delay), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Returns a copy with {@code moment} as the deadline. */
    public AdmissionConstraints withDeadline(Instant moment) {
        return new AdmissionConstraints(notBefore, delay, Optional.of(moment), concurrencyKey, retry);
    }

    /** Returns a copy with the concurrency key, if present. */
    public AdmissionConstraints withConcurrencyKey(Optional<String> key) {
        return new AdmissionConstraints(notBefore, delay, deadline, key, retry);
    }

    /** Returns a copy with the retry policy, if present. */
    public AdmissionConstraints withRetry(Optional<RetryPolicy> policy) {
        return new AdmissionConstraints(notBefore, delay, deadline, concurrencyKey, policy);
    }

    /** Returns whether the start may have to wait for a time. */
    public boolean isDelayed() {
        return notBefore.isPresent() || delay.isPresent();
    }
}
