package org.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Times of the reminders of an undecided approval. */
class ReminderScheduleTest {
    private static final Instant DEADLINE = Instant.parse("2026-01-08T12:00:00Z");

    @Test
    void remindersStartBeforeTheDeadlineAndRepeat() {
        ReminderSchedule reminders = new ReminderSchedule(Duration.ofHours(3), Duration.ofHours(1), 3);
        Instant first = Instant.parse("2026-01-08T09:00:00Z");
        assertThat(reminders.nextAfter(Instant.EPOCH, DEADLINE)).contains(first);
        assertThat(reminders.nextAfter(first.minusNanos(1), DEADLINE)).contains(first);
        assertThat(reminders.nextAfter(first, DEADLINE)).contains(Instant.parse("2026-01-08T10:00:00Z"));
        assertThat(reminders.nextAfter(Instant.parse("2026-01-08T10:30:00Z"), DEADLINE))
                .contains(Instant.parse("2026-01-08T11:00:00Z"));
        assertThat(reminders.nextAfter(Instant.parse("2026-01-08T11:00:00Z"), DEADLINE))
                .isEmpty();
    }

    @Test
    void noRemindersByDefault() {
        assertThat(ReminderSchedule.NONE.nextAfter(Instant.EPOCH, DEADLINE)).isEmpty();
    }

    @Test
    void reminderAfterTheDeadlineIsRefused() {
        assertThatThrownBy(() -> new ReminderSchedule(Duration.ofHours(2), Duration.ofHours(1), 3))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ReminderSchedule(Duration.ZERO, Duration.ZERO, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ReminderSchedule(Duration.ofHours(2), Duration.ofHours(1), -1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
