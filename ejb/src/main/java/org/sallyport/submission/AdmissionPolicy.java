package org.sallyport.submission;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.execution.AdmissionConstraints;

/** Checks the start time and the deadline of a submission against {@link LimitSettings#MAX_DELAY}. Thread-safe. */
final class AdmissionPolicy {
    private final Configuration configuration;
    private final InstantSource clock;

    AdmissionPolicy(Configuration configuration, InstantSource clock) {
        this.configuration = configuration;
        this.clock = clock;
    }

    /**
     * Throws {@link InvalidSubmissionException} when the start would be delayed too long, or when the deadline is not
     * after the earliest start.
     */
    void check(AdmissionConstraints admission) {
        if (admission.equals(AdmissionConstraints.NONE)) {
            return;
        }
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

    private static String setting() {
        return " (setting " + LimitSettings.MAX_DELAY.name() + ")";
    }
}
