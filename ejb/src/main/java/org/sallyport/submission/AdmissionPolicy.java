package org.sallyport.submission;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.TreeSet;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.RetryPolicy;

/** Checks the start time, the deadline and the retry policy of a submission against the settings. Thread-safe. */
final class AdmissionPolicy {
    private final Configuration configuration;
    private final InstantSource clock;

    AdmissionPolicy(Configuration configuration, InstantSource clock) {
        this.configuration = configuration;
        this.clock = clock;
    }

    /**
     * Throws {@link InvalidSubmissionException} when {@link #check(AdmissionConstraints)} does, or when the retry
     * policy could never act: without a journal, the effects of a failed execution are unknown.
     */
    void check(Submission submission) {
        check(submission.admission());
        if (submission.durability() == Durability.NONE
                && submission.effects() == EffectMode.REAL
                && submission
                        .admission()
                        .retry()
                        .filter(retry -> !retry.afterWrites())
                        .isPresent()) {
            throw new InvalidSubmissionException(
                    "retry.afterWrites",
                    "must be true with durability none: no journal shows what a failed attempt has changed");
        }
    }

    /**
     * Throws {@link InvalidSubmissionException} when the start would be delayed too long, when the deadline is not
     * after the earliest start, or when the retry policy exceeds its limits.
     */
    void check(AdmissionConstraints admission) {
        if (admission.equals(AdmissionConstraints.NONE)) {
            return;
        }
        admission.retry().ifPresent(this::check);
        Duration maxDelay = configuration.get(LimitSettings.MAX_DELAY);
        Instant now = clock.instant();
        admission.delay().filter(delay -> delay.compareTo(maxDelay) > 0).ifPresent(delay -> {
            throw new InvalidSubmissionException("delayMillis", "must be at most " + maxDelay.toMillis() + setting());
        });
        admission
                .notBefore()
                .filter(moment -> moment.isAfter(now.plus(maxDelay)))
                .ifPresent(moment -> {
                    throw new InvalidSubmissionException(
                            "notBefore", "must be within " + maxDelay.toMillis() + " ms from now" + setting());
                });
        Instant begins = admission
                .notBefore()
                .filter(now::isBefore)
                .orElse(now.plus(admission.delay().orElse(Duration.ZERO)));
        admission.deadline().filter(deadline -> !deadline.isAfter(begins)).ifPresent(deadline -> {
            throw new InvalidSubmissionException(
                    "deadline", admission.isDelayed() ? "must be after the earliest start" : "must be in the future");
        });
    }

    private void check(RetryPolicy retry) {
        long maxAttempts = configuration.get(LimitSettings.MAX_RETRY_ATTEMPTS);
        if (retry.attempts() < 1 || retry.attempts() > maxAttempts) {
            throw new InvalidSubmissionException(
                    "retry.attempts",
                    "must be from 1 to " + maxAttempts + " (setting " + LimitSettings.MAX_RETRY_ATTEMPTS.name() + ")");
        }
        Duration maxDelay = configuration.get(LimitSettings.MAX_RETRY_DELAY);
        checkDelay("retry.delayMillis", retry.initialDelay(), RetryPolicy.MIN_DELAY, maxDelay);
        checkDelay("retry.maxDelayMillis", retry.maxDelay(), retry.initialDelay(), maxDelay);
        if (!RetryPolicy.allowedCodes().containsAll(retry.errorCodes())) {
            throw new InvalidSubmissionException(
                    "retry.errorCodes",
                    "must be some of " + String.join(", ", new TreeSet<>(RetryPolicy.allowedCodes())));
        }
        if (!retry.afterWrites() && !Collections.disjoint(retry.errorCodes(), RetryPolicy.writeCodes())) {
            throw new InvalidSubmissionException(
                    "retry.afterWrites",
                    "must be true with the error codes "
                            + String.join(", ", new TreeSet<>(RetryPolicy.writeCodes()))
                            + ": after them, the failed attempt always may have changed something");
        }
    }

    private static void checkDelay(String member, Duration delay, Duration min, Duration max) {
        if (delay.compareTo(min) < 0 || delay.compareTo(max) > 0) {
            throw new InvalidSubmissionException(
                    member,
                    "must be from " + min.toMillis() + " to " + max.toMillis() + " (setting "
                            + LimitSettings.MAX_RETRY_DELAY.name() + ")");
        }
    }

    private static String setting() {
        return " (setting " + LimitSettings.MAX_DELAY.name() + ")";
    }
}
