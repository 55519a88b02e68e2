package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.testsupport.TimingAssertions;

/** A script that sleeps, and is not parked, sleeps only for the remaining time. */
final class SleepRecoveryScenario implements RecoveryScenario {
    /** Longer than the preparation of all scenarios takes. */
    private static final Duration SLEEP = Duration.ofSeconds(90);
    /** A sleep that began anew would end at least this late. */
    private static final Duration SLEPT_BEFORE_KILL = Duration.ofSeconds(25);
    /** Allowance for a machine that is busy with all scenarios; shorter than the sleep before the kill. */
    private static final Duration BUSY_ALLOWANCE = Duration.ofSeconds(20);

    private final RestClient api;
    private String id = "";

    SleepRecoveryScenario(RestClient api) {
        this.api = api;
    }

    /** The repeated timer prevents that the execution is parked. The script makes no call while it sleeps. */
    @Override
    public void prepare() {
        id = api.submit(SubmissionBody.javascript("""
                const ticks = setInterval(() => {}, 300);
                await demo.clock();
                await sleep('90s');
                clearInterval(ticks);
                return 'woke';
                """).limit("wallMillis", 300_000));
        Await.until(
                "the sleep has begun",
                Duration.ofSeconds(120),
                () -> api.getTrace(id).stream()
                        .anyMatch(event -> event.path("type").asText().equals("tool_end")));
    }

    /** Waits until a sleep that begins anew would end notably later. */
    void awaitAPartOfTheSleep() {
        Instant started = Instant.parse(api.getExecution(id).path("startedAt").asText());
        Await.until(
                "a part of the sleep is over",
                Duration.ofSeconds(120),
                () -> Instant.now().isAfter(started.plus(SLEPT_BEFORE_KILL)));
    }

    @Override
    public void assertRecovered() {
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("woke");
        assertThat(ended.path("attempt").asInt())
                .as("it slept when the server died")
                .isGreaterThan(1);
        Instant due = Instant.parse(ended.path("startedAt").asText()).plus(SLEEP);
        Instant resumed = api.getTrace(id).stream()
                .filter(event -> event.path("state").asText().equals("RUNNING"))
                .map(event -> Instant.parse(event.path("at").asText()))
                .reduce((before, last) -> last)
                .orElseThrow();
        Instant finished = Instant.parse(ended.path("finishedAt").asText());
        assertThat(finished).isAfterOrEqualTo(due);
        TimingAssertions.assertAtMost(BUSY_ALLOWANCE, Duration.between(resumed.isAfter(due) ? resumed : due, finished));
    }
}
