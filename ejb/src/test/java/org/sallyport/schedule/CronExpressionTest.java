package org.sallyport.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronExpressionTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static List<String> nextTimes(String cron, String zone, String after, int count) {
        Trigger timing = new Trigger.CronTrigger(CronExpression.parse(cron), ZoneId.of(zone));
        List<String> times = new ArrayList<>();
        Instant time = Instant.parse(after);
        for (int i = 0; i < count; i++) {
            time = timing.nextAfter(time);
            times.add(time.toString());
        }
        return times;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*/15 * * * *            | 2026-01-01T00:00:00Z | 2026-01-01T00:15:00Z | 2026-01-01T00:30:00Z",
                "0 3 * * *               | 2026-01-01T03:00:00Z | 2026-01-02T03:00:00Z | 2026-01-03T03:00:00Z",
                "0 3 * * *               | 2026-01-01T02:59:59.9Z | 2026-01-01T03:00:00Z | 2026-01-02T03:00:00Z",
                "30 5,40 9-17/4 * * *    | 2026-01-01T12:00:00Z | 2026-01-01T13:05:30Z | 2026-01-01T13:40:30Z",
                "0 0 29 2 *              | 2026-01-01T00:00:00Z | 2028-02-29T00:00:00Z | 2032-02-29T00:00:00Z",
                "0 0 31 * *              | 2026-02-01T00:00:00Z | 2026-03-31T00:00:00Z | 2026-05-31T00:00:00Z",
                "0 12 * * mon-fri        | 2026-01-02T12:00:00Z | 2026-01-05T12:00:00Z | 2026-01-06T12:00:00Z",
                "0 0 * * 7               | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z | 2026-01-11T00:00:00Z",
                "0 0 * * 5-7             | 2026-01-02T00:00:00Z | 2026-01-03T00:00:00Z | 2026-01-04T00:00:00Z",
                "0 0 13 * FRI            | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z | 2026-01-09T00:00:00Z",
                "0 0 * * SAT-SUN         | 2026-01-01T00:00:00Z | 2026-01-03T00:00:00Z | 2026-01-04T00:00:00Z",
                "0 0 * * 6-0             | 2026-01-04T00:00:00Z | 2026-01-10T00:00:00Z | 2026-01-11T00:00:00Z",
                "0 0 * * FRI-MON         | 2026-01-04T00:00:00Z | 2026-01-05T00:00:00Z | 2026-01-09T00:00:00Z",
                "0 0 * * MON-SUN         | 2026-01-03T00:00:00Z | 2026-01-04T00:00:00Z | 2026-01-05T00:00:00Z",
                "0 0 * * 7-2             | 2026-01-03T00:00:00Z | 2026-01-04T00:00:00Z | 2026-01-05T00:00:00Z",
                "0 0 * * 7-7             | 2026-01-03T00:00:00Z | 2026-01-04T00:00:00Z | 2026-01-11T00:00:00Z",
                "0 0 * * FRI-MON/2       | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z | 2026-01-04T00:00:00Z",
                "0 0 * * 0-7             | 2026-01-03T00:00:00Z | 2026-01-04T00:00:00Z | 2026-01-05T00:00:00Z",
                "0 0 * * SAT-SUN,WED     | 2026-01-04T00:00:00Z | 2026-01-07T00:00:00Z | 2026-01-10T00:00:00Z",
                "0 0 1 NOV-FEB *         | 2026-01-15T00:00:00Z | 2026-02-01T00:00:00Z | 2026-11-01T00:00:00Z",
                "0 0 1 DEC-DEC *         | 2026-01-15T00:00:00Z | 2026-12-01T00:00:00Z | 2027-12-01T00:00:00Z",
                "0 0 */2 * MON           | 2026-01-01T00:00:00Z | 2026-01-05T00:00:00Z | 2026-01-19T00:00:00Z",
                "0 0 1 * */2             | 2026-01-01T00:00:00Z | 2026-02-01T00:00:00Z | 2026-03-01T00:00:00Z",
                "0 0 1-31/2 * MON        | 2026-01-05T00:00:00Z | 2026-01-07T00:00:00Z | 2026-01-09T00:00:00Z",
                "0 0 ? * MON             | 2026-01-05T00:00:00Z | 2026-01-12T00:00:00Z | 2026-01-19T00:00:00Z",
                "0 0 13 * ?              | 2026-01-01T00:00:00Z | 2026-01-13T00:00:00Z | 2026-02-13T00:00:00Z",
                "0 0 1 jan,JUL *         | 2026-01-01T00:00:00Z | 2026-07-01T00:00:00Z | 2027-01-01T00:00:00Z",
                "59 59 23 31 12 *        | 2026-12-31T23:59:58Z | 2026-12-31T23:59:59Z | 2027-12-31T23:59:59Z",
                "50/5 * * * *            | 2026-01-01T00:00:00Z | 2026-01-01T00:50:00Z | 2026-01-01T00:55:00Z",
                "@daily                  | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z | 2026-01-03T00:00:00Z",
            })
    void nextTimesMatchTheExpression(String cron, String after, String first, String second) {
        assertThat(nextTimes(cron, "UTC", after, 2)).containsExactly(first, second);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "* * * *",
                "* * * * * * *",
                "60 * * * *",
                "* 24 * * *",
                "* * 0 * *",
                "* * 32 * *",
                "* * * 13 *",
                "* * * * 8",
                "5-1 * * * *",
                "0 22-2 * * *",
                "0 0 30-2 * *",
                "0 0 * * SUN-",
                "0 0 * * 8-1",
                "0 0 * FEB-13 *",
                "*/0 * * * *",
                "1/2/3 * * * *",
                "1-2-3 * * * *",
                "-1 * * * *",
                "1, * * * *",
                "MON * * * *",
                "* * * * L",
                "* * * * FRI#2",
                "0 0 30 2 *",
                "0 0 31 4,6,9,11 *",
                "99999999999 * * * *",
                "@sometimes"
            })
    void invalidExpressionIsRefused(String text) {
        assertThatThrownBy(() -> CronExpression.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    /** In Berlin, clocks go from 02:00 to 03:00 on 29 March 2026, at 01:00 UTC. */
    @Test
    void skippedLocalTimeFiresWhenTheClocksGoForward() {
        assertThat(nextTimes("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3))
                .containsExactly("2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
        assertThat(nextTimes("0,20,40 2,3 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3))
                .containsExactly("2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z");
    }

    /** In Berlin, clocks go from 03:00 to 02:00 on 25 October 2026, at 01:00 UTC. */
    @Test
    void repeatedLocalTimeFiresTheFirstTime() {
        assertThat(nextTimes("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        assertThat(nextTimes("0 2,3 * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 2))
                .containsExactly("2026-10-25T02:00:00Z", "2026-10-26T01:00:00Z");
        assertThat(nextTimes("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 1))
                .as("asked between the two")
                .containsExactly("2026-10-26T01:30:00Z");
    }

    @Test
    void hourlyScheduleFollowsElapsedTime() {
        assertThat(nextTimes("30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3))
                .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z");
        assertThat(nextTimes("30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 3))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
        assertThat(nextTimes("*/20 * * * *", "Australia/Lord_Howe", "2026-10-03T15:00:00Z", 3))
                .as("a change by half an hour: 02:00 becomes 02:30")
                .containsExactly("2026-10-03T15:10:00Z", "2026-10-03T15:40:00Z", "2026-10-03T16:00:00Z");
    }

    /** A daily schedule fires once on each local day, also when the clocks change. */
    @ParameterizedTest
    @ValueSource(strings = {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia"})
    void dailyScheduleFiresOncePerLocalDay(String zone) {
        for (String cron : List.of("15 0 * * *", "30 2 * * *", "59 23 * * *")) {
            Trigger timing = new Trigger.CronTrigger(CronExpression.parse(cron), ZoneId.of(zone));
            Instant time = Instant.parse("2011-01-01T00:00:00Z");
            for (int day = 0; day < 1_500; day++) {
                Instant next = timing.nextAfter(time);
                assertThat(Duration.between(time, next))
                        .as(cron + " after " + time)
                        .isBetween(Duration.ofMinutes(1), Duration.ofHours(49));
                if (day > 0 && !zone.equals("Pacific/Apia")) { // Samoa skipped 30 December 2011
                    assertThat(next.atZone(ZoneId.of(zone)).toLocalDate())
                            .isEqualTo(
                                    time.atZone(ZoneId.of(zone)).toLocalDate().plusDays(1));
                }
                time = next;
            }
        }
    }

    @Test
    void lastDueTimesAreFoundWithoutIteratingAll() {
        Trigger second = new Trigger.CronTrigger(CronExpression.parse("* * * * * *"), BERLIN);
        Instant now = Instant.parse("2026-06-01T12:00:00.5Z");
        Instant longAgo = Instant.parse("1996-06-01T12:00:00Z");
        assertThat(second.dueTimes(longAgo, now, 3))
                .extracting(Instant::toString)
                .containsExactly("2026-06-01T11:59:58Z", "2026-06-01T11:59:59Z", "2026-06-01T12:00:00Z");
        assertThat(second.dueTimes(now.minusMillis(1_500), now, 100))
                .extracting(Instant::toString)
                .containsExactly("2026-06-01T11:59:59Z", "2026-06-01T12:00:00Z");

        Trigger often = new Trigger.IntervalTrigger(Duration.ofSeconds(10), longAgo.plusMillis(3));
        assertThat(often.dueTimes(often.nextAfter(longAgo.plusMillis(3)), now, 1))
                .extracting(Instant::toString)
                .containsExactly("2026-06-01T12:00:00.003Z");
        Trigger yearly = new Trigger.CronTrigger(CronExpression.parse("@yearly"), BERLIN);
        assertThat(yearly.dueTimes(yearly.nextAfter(longAgo), now, 100)).hasSize(30);
    }
}
