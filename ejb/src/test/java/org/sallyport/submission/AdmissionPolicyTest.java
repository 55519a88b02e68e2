package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

class AdmissionPolicyTest {
    private static final Instant NOW = Instant.parse("2026-06-08T15:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);

    private final AdmissionPolicy policy = new AdmissionPolicy(
            Configuration.read(
                    Map.of(
                            "sallyport.limits.max-delay-millis",
                            Long.toString(DAY.toMillis()),
                            "sallyport.limits.max-retry-attempts",
                            "4",
                            "sallyport.limits.max-retry-delay-millis",
                            "300000"),
                    Map.of()),
            () -> NOW);

    @Test
    void admissionWithinTheLimitsIsAccepted() {
        for (AdmissionConstraints admission : new AdmissionConstraints[] {
            AdmissionConstraints.NONE,
            AdmissionConstraints.notBefore(NOW.plus(DAY)),
            AdmissionConstraints.notBefore(Instant.EPOCH),
            AdmissionConstraints.afterDelay(DAY),
            AdmissionConstraints.NONE.withDeadline(NOW.plusMillis(1)),
            AdmissionConstraints.notBefore(Instant.EPOCH).withDeadline(NOW.plusMillis(1)),
            AdmissionConstraints.afterDelay(DAY).withDeadline(NOW.plus(DAY).plusMillis(1)),
        }) {
            assertThatCode(() -> policy.check(admission))
                    .as(admission.toString())
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void startTooFarAheadIsRefused() {
        assertThat(fault(AdmissionConstraints.notBefore(NOW.plus(DAY).plusMillis(1))))
                .isEqualTo("notBefore");
        assertThat(fault(AdmissionConstraints.afterDelay(DAY.plusMillis(1)))).isEqualTo("delayMillis");
    }

    @Test
    void deadlineBeforeTheEarliestStartIsRefused() {
        assertThat(fault(AdmissionConstraints.NONE.withDeadline(NOW))).isEqualTo("deadline");
        assertThat(fault(AdmissionConstraints.notBefore(NOW.plusSeconds(1)).withDeadline(NOW.plusSeconds(1))))
                .isEqualTo("deadline");
        assertThat(fault(AdmissionConstraints.afterDelay(DAY).withDeadline(NOW.plus(DAY))))
                .isEqualTo("deadline");
    }

    @Test
    void retryPolicyBeyondItsLimitsIsRefused() {
        Set<String> codes = RetryPolicy.defaultCodes();
        Duration second = Duration.ofSeconds(1);
        Duration max = Duration.ofMinutes(5);

        assertThatCode(() -> policy.check(retried(new RetryPolicy(1, RetryPolicy.MIN_DELAY, max, codes, false))))
                .doesNotThrowAnyException();
        assertThatCode(() -> policy.check(retried(new RetryPolicy(4, max, max, RetryPolicy.allowedCodes(), true))))
                .doesNotThrowAnyException();
        assertThat(fault(retried(new RetryPolicy(0, second, max, codes, false))))
                .isEqualTo("retry.attempts");
        assertThat(fault(retried(new RetryPolicy(5, second, max, codes, false))))
                .isEqualTo("retry.attempts");
        assertThat(fault(retried(new RetryPolicy(2, Duration.ZERO, max, codes, false))))
                .isEqualTo("retry.delayMillis");
        assertThat(fault(retried(new RetryPolicy(2, max.plusMillis(1), max.plusMillis(1), codes, false))))
                .isEqualTo("retry.delayMillis");
        assertThat(fault(retried(new RetryPolicy(2, second, second.minusMillis(1), codes, false))))
                .isEqualTo("retry.maxDelayMillis");
        assertThat(fault(retried(new RetryPolicy(2, second, max.plusMillis(1), codes, false))))
                .isEqualTo("retry.maxDelayMillis");
        assertThat(fault(retried(new RetryPolicy(2, second, max, Set.of("timeout", "denied"), false))))
                .isEqualTo("retry.errorCodes");
    }

    @Test
    void retryPolicyThatCouldNeverActIsRefused() {
        Duration second = Duration.ofSeconds(1);
        RetryPolicy unasked = new RetryPolicy(2, second, second, RetryPolicy.defaultCodes(), false);
        RetryPolicy requested = new RetryPolicy(2, second, second, RetryPolicy.defaultCodes(), true);
        Submission journaled = submission(Durability.JOURNAL);
        Submission unknown = submission(Durability.NONE);

        assertThat(catchThrowableOfType(
                                InvalidSubmissionException.class,
                                () -> policy.check(unknown.withAdmission(retried(unasked))))
                        .member())
                .isEqualTo("retry.afterWrites");
        assertThatCode(() -> policy.check(unknown.withAdmission(retried(requested))))
                .doesNotThrowAnyException();
        assertThatCode(() -> policy.check(journaled.withAdmission(retried(unasked))))
                .doesNotThrowAnyException();
        for (String code : RetryPolicy.writeCodes()) {
            assertThat(fault(retried(new RetryPolicy(2, second, second, Set.of("timeout", code), false))))
                    .isEqualTo("retry.afterWrites");
            assertThatCode(() -> policy.check(retried(new RetryPolicy(2, second, second, Set.of(code), true))))
                    .doesNotThrowAnyException();
        }
    }

    private static Submission submission(Durability durability) {
        return new Submission(
                "return 1",
                ScriptLanguage.JAVASCRIPT,
                Json.NULL,
                Json.NULL,
                RequestedLimits.NONE,
                Optional.empty(),
                Map.of(),
                4,
                DebugMode.NONE,
                durability,
                Optional.empty(),
                Optional.empty());
    }

    private static AdmissionConstraints retried(RetryPolicy policy) {
        return AdmissionConstraints.NONE.withRetry(Optional.of(policy));
    }

    private String fault(AdmissionConstraints admission) {
        return catchThrowableOfType(InvalidSubmissionException.class, () -> policy.check(admission))
                .member();
    }
}
