package org.sallyport.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.Json;

class FireDecisionTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration GRACE = Duration.ofMinutes(1);

    private static Instant hour(int hours) {
        return START.plus(HOUR.multipliedBy(hours));
    }

    /** An hourly schedule whose first fire time was not handled. */
    private static Schedule hourly(MisfirePolicy catchUp, boolean held) {
        return new Schedule(
                new ScheduleId(new UUID(7, 7)),
                "tenant",
                "creator",
                "key",
                "hourly",
                new Trigger.IntervalTrigger(HOUR, START),
                ConcurrencyPolicy.QUEUE,
                catchUp,
                Json.EMPTY_OBJECT,
                Optional.empty(),
                hour(1),
                held,
                Optional.empty(),
                Optional.empty(),
                0,
                START,
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty());
    }

    private static FireDecision decideAt(Instant now, MisfirePolicy catchUp) {
        return FireDecision.of(hourly(catchUp, false), now, GRACE, 3);
    }

    @Test
    void timelyFireIsIndependentOfTheMisfirePolicy() {
        for (MisfirePolicy catchUp : MisfirePolicy.values()) {
            assertThat(decideAt(hour(1).plusMillis(10), catchUp)).isEqualTo(new FireDecision.FireNow(hour(1), hour(2)));
        }
    }

    @Test
    void queuedTimeIsNeverLate() {
        Instant late = hour(7).plus(Duration.ofMinutes(20));
        assertThat(FireDecision.ofQueued(hourly(MisfirePolicy.NONE, false), late, 3))
                .isEqualTo(new FireDecision.FireNow(hour(7), hour(8)));
        assertThat(FireDecision.ofQueued(hourly(MisfirePolicy.LAST, false), late, 3))
                .isEqualTo(new FireDecision.FireNow(hour(7), hour(8)));
        assertThat(FireDecision.ofQueued(hourly(MisfirePolicy.ALL, false), late, 3))
                .isEqualTo(new FireDecision.FireNow(hour(5), hour(6)));
    }

    @Test
    void misfirePolicySkipsOrRunsMissedTimes() {
        Instant late = hour(7).plus(Duration.ofMinutes(20));
        assertThat(decideAt(late, MisfirePolicy.NONE)).isEqualTo(new FireDecision.SkipFire(hour(7), hour(8)));
        assertThat(decideAt(late, MisfirePolicy.LAST)).isEqualTo(new FireDecision.FireNow(hour(7), hour(8)));
        assertThat(decideAt(late, MisfirePolicy.ALL))
                .as("the last three")
                .isEqualTo(new FireDecision.FireNow(hour(5), hour(6)));
        assertThat(decideAt(hour(2).plusSeconds(1), MisfirePolicy.ALL))
                .isEqualTo(new FireDecision.FireNow(hour(1), hour(2)));
    }

    @Test
    void fireWithinTheGracePeriodIsNotAMisfire() {
        assertThat(decideAt(hour(3).plus(GRACE), MisfirePolicy.NONE))
                .isEqualTo(new FireDecision.FireNow(hour(3), hour(4)));
        assertThat(decideAt(hour(3).plus(GRACE).plusNanos(1), MisfirePolicy.NONE))
                .isEqualTo(new FireDecision.SkipFire(hour(3), hour(4)));
    }

    @Test
    void fireDeferredByARunningExecutionIsNotAMisfire() {
        Instant late = hour(3).plus(Duration.ofMinutes(20));
        assertThat(FireDecision.of(hourly(MisfirePolicy.NONE, true), late, GRACE, 3))
                .isEqualTo(new FireDecision.FireNow(hour(3), hour(4)));
    }
}
