package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.AdmissionConstraints;

class AdmissionPolicyTest {
    private static final Instant NOW = Instant.parse("2026-06-08T15:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);

    private final AdmissionPolicy policy = new AdmissionPolicy(
            Configuration.read(Map.of("sallyport.limits.max-delay-millis", Long.toString(DAY.toMillis())), Map.of()),
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

    private String fault(AdmissionConstraints admission) {
        return catchThrowableOfType(InvalidSubmissionException.class, () -> policy.check(admission))
                .member();
    }
}
