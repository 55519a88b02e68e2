package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.testsupport.Timing;

/** Ways in which an execution is stopped before it ends by itself. */
@ExtendWith(Servers.class)
class CancelIT {
    private static final Duration PROMISED = Duration.ofSeconds(2);

    private final Api api;

    CancelIT(Api api) {
        this.api = api;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "console.log('begun'); while (true) {}",
                "console.log('begun'); for (;;) await sleep(10);",
                "console.log('begun'); await demo.slow({ millis: 60000 });",
                "console.log('begun'); await sleep(1); (function turn() { Promise.resolve().then(turn); })();"
                        + " await new Promise(() => {});",
                "console.log('begun'); for (;;) await sleep('5s');",
                "console.log('begun'); await sleep(1); for (;;) { try { for (;;) {} } finally { continue; } }"
            })
    void runningScriptIsStoppedWithinTwoSeconds(String code) {
        Pace pace = Pace.of(api);
        String id = api.submit(Submission.javascript(code));
        api.awaitOutput(id, "begun");

        Instant asked = Instant.now();
        JsonNode answered = api.cancel(id).expect(202).json();

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("state").asText()).isEqualTo("CANCELLED");
        Timing.assertAtMost(pace.within(PROMISED), Duration.between(asked, finishedAt(ended)));
        assertThat(answered.path("id").asText()).isEqualTo(id);
        assertThat(ended.has("result")).isFalse();
        assertThat(ended.path("output").asText()).isEqualTo("begun\n");
    }

    @Test
    void openCallsEndWithTheirExecution() {
        String id = api.submit(Submission.javascript(
                "await Promise.all([1, 2, 3].map(value => demo.slow({ millis: 60000, value })));"));
        Await.until(
                "its calls are made",
                Duration.ofSeconds(60),
                () -> api.trace(id).stream()
                                .filter(event -> event.path("type").asText().equals("tool_start"))
                                .count()
                        == 3);

        api.cancel(id).expect(202);

        api.awaitEnd(id);
        List<JsonNode> ends = api.trace(id).stream()
                .filter(event -> event.path("type").asText().equals("tool_end"))
                .toList();
        assertThat(ends).hasSize(3);
        assertThat(ends)
                .allSatisfy(end ->
                        assertThat(end.path("error").path("code").asText()).isEqualTo("cancelled"));
    }

    @Test
    void othersBesideDoNotNoticeACancel() {
        List<String> beside = Stream.generate(() -> api.submit(Submission.javascript("""
                        console.log('begun');
                        let sum = 0;
                        for (let i = 1; i <= 20; i++) { await sleep(100); sum = await demo.add({ a: sum, b: i }); }
                        return sum;
                        """)))
                .limit(4)
                .toList();
        beside.forEach(id -> api.awaitOutput(id, "begun"));

        for (int i = 0; i < 3; i++) {
            String hostile = api.submit(Submission.javascript("console.log('begun'); while (true) {}"));
            api.awaitOutput(hostile, "begun");
            api.cancel(hostile).expect(202);
            assertThat(api.awaitEnd(hostile).path("state").asText()).isEqualTo("CANCELLED");
        }

        assertThat(beside)
                .allSatisfy(id ->
                        assertThat(api.awaitEnd(id).path("result").asInt()).isEqualTo(210));
    }

    @Test
    void cancelledWhilePendingNeverRuns(@Server(Profile.SMALL) Api small) {
        Pace pace = Pace.of(small);
        // Who sleeps for longer gives its place up.
        List<String> running = Stream.generate(() -> small.submit(Submission.javascript("for (;;) await sleep(200);")))
                .limit(Profile.PLACES)
                .toList();
        running.forEach(small::awaitRunning);
        List<String> pending = Stream.generate(() -> small.submit(Submission.javascript("console.log('ran');")))
                .limit(3)
                .toList();
        JsonNode last = small.execution(pending.get(2));
        assertThat(last.path("state").asText()).isEqualTo("PENDING");
        assertThat(last.path("queuePosition").asInt()).isEqualTo(3);

        Instant asked = Instant.now();
        JsonNode answered = small.cancel(pending.get(1)).expect(202).json();

        assertThat(answered.path("state").asText()).isEqualTo("CANCELLED");
        assertThat(answered.has("startedAt")).isFalse();
        assertThat(small.execution(pending.get(2)).path("queuePosition").asInt())
                .isEqualTo(2);
        running.forEach(id -> small.cancel(id).expect(202));
        Timing.assertAtMost(pace.within(PROMISED), Duration.between(asked, finishedAt(answered)));
        assertThat(small.awaitEnd(pending.get(2)).path("state").asText()).isEqualTo("COMPLETED");
        assertThat(small.execution(pending.get(1)).path("output").asText()).isEmpty();
        assertThat(small.trace(pending.get(1)))
                .noneMatch(event -> event.path("state").asText().equals("RUNNING"));
    }

    @ParameterizedTest
    @CsvSource({"return 1;, COMPLETED", "throw 1;, FAILED"})
    void whatHasEndedCannotBeCancelled(String code, String state) {
        String id = api.run(Submission.javascript(code)).path("id").asText();

        Answer answer = api.cancel(id);

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.problem()).isEqualTo("already-terminal");
        assertThat(answer.json().path("state").asText()).isEqualTo(state);
        assertThat(api.execution(id).path("state").asText()).isEqualTo(state);
    }

    @Test
    void whatIsUnknownCannotBeCancelled() {
        Answer answer = api.cancel("019ea7c0-1a2b-7000-92af-3bd76810d50e");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.problem()).isEqualTo("not-found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"while (true) {}", "for (;;) await sleep(10);", "await demo.slow({ millis: 60000 });"})
    void pastItsWallClockLimitAScriptIsTimedOut(String code) {
        Pace pace = Pace.of(api);
        JsonNode ended = api.run(Submission.javascript(code).limit("wallMillis", 1_000));

        assertThat(ended.path("state").asText()).isEqualTo("TIMED_OUT");
        assertThat(ended.path("error").path("code").asText()).isEqualTo("wall-clock-limit");
        assertThat(ended.path("error").path("culprit").asText()).isEqualTo("limit");
        assertThat(ended.path("runMillis").asLong())
                .isBetween(900L, pace.within(Duration.ofSeconds(3)).toMillis());
    }

    @Test
    void pastItsComputingTimeAScriptFails() {
        JsonNode ended = api.run(Submission.javascript("while (true) {}").limit("cpuMillis", 300));

        assertThat(ended.path("state").asText()).isEqualTo("FAILED");
        assertThat(ended.path("error").path("code").asText()).isEqualTo("cpu-limit");
    }

    @Test
    void waitingIsNotComputing() {
        JsonNode ended =
                api.run(Submission.javascript("for (let i = 0; i < 10; i++) await sleep(500); return 'rested';")
                        .limit("cpuMillis", 4_000));

        assertThat(ended.path("result").asText()).describedAs(ended.toString()).isEqualTo("rested");
    }

    private static Instant finishedAt(JsonNode execution) {
        return Instant.parse(execution.path("finishedAt").asText());
    }
}
