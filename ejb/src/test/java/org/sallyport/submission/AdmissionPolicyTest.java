package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.Admission;

class AdmissionPolicyTest {
    private static final Instant NOW = Instant.parse("2026-06-08T15:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);

    private final AdmissionPolicy policy = new AdmissionPolicy(
            Configuration.read(Map.of("sallyport.limits.delay-millis", Long.toString(DAY.toMillis())), Map.of()),
            () -> NOW);

    @Test
    void whatIsNearEnoughIsTaken() {
        for (Admission admission : new Admission[] {
            Admission.NONE,
            Admission.notBefore(NOW.plus(DAY)),
            Admission.notBefore(Instant.EPOCH),
            Admission.after(DAY),
            Admission.NONE.until(NOW.plusMillis(1)),
            Admission.notBefore(Instant.EPOCH).until(NOW.plusMillis(1)),
            Admission.after(DAY).until(NOW.plus(DAY).plusMillis(1)),
        }) {
            assertThatCode(() -> policy.check(admission))
                    .as(admission.toString())
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void whatIsTooFarAheadIsRefused() {
        assertThat(fault(Admission.notBefore(NOW.plus(DAY).plusMillis(1)))).isEqualTo("notBefore");
        assertThat(fault(Admission.after(DAY.plusMillis(1)))).isEqualTo("delayMillis");
    }

    @Test
    void whatWouldBeLateBeforeItMayBeginIsRefused() {
        assertThat(fault(Admission.NONE.until(NOW))).isEqualTo("deadline");
        assertThat(fault(Admission.notBefore(NOW.plusSeconds(1)).until(NOW.plusSeconds(1))))
                .isEqualTo("deadline");
        assertThat(fault(Admission.after(DAY).until(NOW.plus(DAY)))).isEqualTo("deadline");
    }

    private String fault(Admission admission) {
        return catchThrowableOfType(InvalidSubmissionException.class, () -> policy.check(admission))
                .member();
    }
}
