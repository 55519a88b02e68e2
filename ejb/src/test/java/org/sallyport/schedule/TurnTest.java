package org.sallyport.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.tool.Json;

class TurnTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration GRACE = Duration.ofMinutes(1);

    private static Instant hour(int hours) {
        return START.plus(HOUR.multipliedBy(hours));
    }

    /** Due every hour; the first was not seen to. */
    private static Schedule hourly(CatchUp catchUp, boolean held) {
        return new Schedule(
                new ScheduleId(new UUID(7, 7)),
                "tenant",
                "key",
                "hourly",
                new Timing.Every(HOUR, START),
                Overlap.QUEUE,
                catchUp,
                Json.EMPTY_OBJECT,
                Optional.empty(),
                hour(1),
                held,
                Optional.empty(),
                Optional.empty(),
                0,
                START);
    }

    private static Turn at(Instant now, CatchUp catchUp) {
        return Turn.of(hourly(catchUp, false), now, GRACE, 3);
    }

    @Test
    void aTimeThatIsSeenAtOnceRunsWhateverIsCaughtUp() {
        for (CatchUp catchUp : CatchUp.values()) {
            assertThat(at(hour(1).plusMillis(10), catchUp)).isEqualTo(new Turn.Run(hour(1), hour(2)));
        }
    }

    @Test
    void whatWasMissedIsLeftOutMadeUpForOnceOrOneByOne() {
        Instant late = hour(7).plus(Duration.ofMinutes(20));
        assertThat(at(late, CatchUp.NONE)).isEqualTo(new Turn.Leave(hour(7), hour(8)));
        assertThat(at(late, CatchUp.LAST)).isEqualTo(new Turn.Run(hour(7), hour(8)));
        assertThat(at(late, CatchUp.ALL)).as("the last three").isEqualTo(new Turn.Run(hour(5), hour(6)));
        assertThat(at(hour(2).plusSeconds(1), CatchUp.ALL)).isEqualTo(new Turn.Run(hour(1), hour(2)));
    }

    @Test
    void aTimeWithinTheGraceWasNotMissed() {
        assertThat(at(hour(3).plus(GRACE), CatchUp.NONE)).isEqualTo(new Turn.Run(hour(3), hour(4)));
        assertThat(at(hour(3).plus(GRACE).plusNanos(1), CatchUp.NONE)).isEqualTo(new Turn.Leave(hour(3), hour(4)));
    }

    @Test
    void whatWaitedForAnExecutionToEndWasNotMissed() {
        Instant late = hour(3).plus(Duration.ofMinutes(20));
        assertThat(Turn.of(hourly(CatchUp.NONE, true), late, GRACE, 3)).isEqualTo(new Turn.Run(hour(3), hour(4)));
    }
}
