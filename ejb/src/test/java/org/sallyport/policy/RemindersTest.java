package org.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** When people are reminded. */
class RemindersTest {
    private static final Instant DEADLINE = Instant.parse("2026-01-08T12:00:00Z");

    @Test
    void theFirstTimeIsSoLongBeforeTheDeadlineAndTheOthersFollow() {
        Reminders reminders = new Reminders(Duration.ofHours(3), Duration.ofHours(1), 3);
        Instant first = Instant.parse("2026-01-08T09:00:00Z");
        assertThat(reminders.after(Instant.EPOCH, DEADLINE)).contains(first);
        assertThat(reminders.after(first.minusNanos(1), DEADLINE)).contains(first);
        assertThat(reminders.after(first, DEADLINE)).contains(Instant.parse("2026-01-08T10:00:00Z"));
        assertThat(reminders.after(Instant.parse("2026-01-08T10:30:00Z"), DEADLINE))
                .contains(Instant.parse("2026-01-08T11:00:00Z"));
        assertThat(reminders.after(Instant.parse("2026-01-08T11:00:00Z"), DEADLINE))
                .isEmpty();
    }

    @Test
    void nobodyIsRemindedUnlessItWasSaid() {
        assertThat(Reminders.NONE.after(Instant.EPOCH, DEADLINE)).isEmpty();
    }

    @Test
    void noneIsAfterTheDeadline() {
        assertThatThrownBy(() -> new Reminders(Duration.ofHours(2), Duration.ofHours(1), 3))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Reminders(Duration.ZERO, Duration.ZERO, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Reminders(Duration.ofHours(2), Duration.ofHours(1), -1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
