package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TimingCalibration;
import org.sallyport.testsupport.TimingAssertions;

/** Ways to stop an execution before it ends by itself. */
@ExtendWith(ServerExtension.class)
class CancelIT {
    private static final Duration MAX_CANCEL_TIME = Duration.ofSeconds(2);

    private final RestClient api;

    CancelIT(RestClient api) {
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
        TimingCalibration pace = TimingCalibration.of(api);
        String id = api.submit(SubmissionBody.javascript(code));
        api.awaitOutput(id, "begun");

        Instant asked = Instant.now();
        JsonNode answered = api.cancel(id).expectStatus(202).json();

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("state").asText()).isEqualTo("CANCELLED");
        TimingAssertions.assertAtMost(pace.adjustLimit(MAX_CANCEL_TIME), Duration.between(asked, finishedAt(ended)));
        assertThat(answered.path("id").asText()).isEqualTo(id);
        assertThat(ended.has("result")).isFalse();
        assertThat(ended.path("output").asText()).isEqualTo("begun\n");
    }

    private RestResponse cancel(String id, String body) {
        return api.post(RestClient.EXECUTIONS + "/" + id + "/cancel", body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"console.log('begun'); while (true) {}", "console.log('begun'); await sleep('100s');"})
    void firstReasonIsShownWhereverTheCancellationIs(String code) {
        String id = api.submit(SubmissionBody.javascript(code));
        api.awaitOutput(id, "begun");

        cancel(id, "{\"reason\": \"" + "x".repeat(1_001) + "\"}").expectStatus(400);
        cancel(id, "{\"why\": \"unknown member\"}").expectStatus(400);
        cancel(id, "{\"reason\": 1}").expectStatus(400);
        assertThat(api.getExecution(id).has("cancellation")).isFalse();
        cancel(id, "{\"reason\": \"wrong <b>prices</b>\\u001b[2J\"}").expectStatus(202);
        cancel(id, "{\"reason\": \"another\"}");
        api.cancel(id);

        JsonNode ended = api.awaitEnd(id);
        JsonNode cancellation = ended.path("cancellation");
        assertThat(ended.path("state").asText()).isEqualTo("CANCELLED");
        assertThat(cancellation.path("reason").asText()).isEqualTo("wrong <b>prices</b>\u001b[2J");
        assertThat(cancellation.path("requestedBy")).isEqualTo(ended.path("submittedBy"));
        JsonNode why = api.get(RestClient.EXECUTIONS + "/" + id + "/why").json();
        assertThat(why.path("reason").asText()).isEqualTo("cancelled");
        assertThat(why.path("cancellation")).isEqualTo(cancellation);
        List<JsonNode> trace = api.getTrace(id);
        assertThat(trace.get(trace.size() - 1).path("cancellation")).isEqualTo(cancellation);
        assertThat(api.get("/api/v1/audit?action=execution.cancel&limit=100")
                        .json()
                        .path("items"))
                .filteredOn(entry -> entry.path("object").asText().equals(id)
                        && entry.path("note")
                                .asText()
                                .equals(cancellation.path("reason").asText()))
                .isNotEmpty();
    }

    @Test
    void executionThatCompletedShowsNoCancellation() {
        String id = api.submit(SubmissionBody.javascript("return 1"));
        api.awaitEnd(id);
        cancel(id, "{\"reason\": \"too late\"}").expectStatus(409);
        assertThat(api.getExecution(id).has("cancellation")).isFalse();
    }

    @Test
    void selectionIsCountedThenCancelledAndARepeatIsHarmless() {
        String label = "selection:" + UUID.randomUUID();
        List<String> selected = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            selected.add(api.submit(
                    SubmissionBody.javascript("await sleep('100s')").label("selection", label.substring(10))));
        }
        String other = api.submit(SubmissionBody.javascript("await sleep('100s')"));
        String path = RestClient.EXECUTIONS + "/cancel?label=" + label;

        assertThat(api.post(path + "&dryRun=true", "{}")
                        .expectStatus(200)
                        .json()
                        .toString())
                .isEqualTo("{\"matches\":3,\"next\":null}");
        selected.forEach(
                id -> assertThat(api.getExecution(id).has("cancellation")).isFalse());
        JsonNode done = api.post(path, "{\"reason\": \"wrong selection\"}")
                .expectStatus(200)
                .json();

        assertThat(done.path("cancelled").asInt() + done.path("requested").asInt())
                .isEqualTo(3);
        assertThat(done.path("next").isNull()).isTrue();
        for (String id : selected) {
            assertThat(api.awaitEnd(id).at("/cancellation/reason").asText()).isEqualTo("wrong selection");
        }
        JsonNode repeated = api.send(api.request(path).POST(BodyPublishers.noBody()))
                .expectStatus(200)
                .json();
        assertThat(repeated.path("cancelled").asInt()
                        + repeated.path("requested").asInt())
                .isZero();
        assertThat(api.getExecution(other).has("cancellation")).isFalse();
        api.cancel(other).expectStatus(202);
        JsonNode audit = api.get("/api/v1/audit?action=execution.cancel-selection&limit=100")
                .json()
                .path("items");
        assertThat(audit)
                .anySatisfy(entry -> assertThat(entry.path("note").asText()).contains(label, "wrong selection"));
        for (String id : selected) {
            assertThat(api.get("/api/v1/audit?action=execution.cancel&limit=100")
                            .json()
                            .path("items"))
                    .anySatisfy(
                            entry -> assertThat(entry.path("object").asText()).isEqualTo(id));
        }
    }

    @Test
    void selectionWithoutFilterOrOfEndedExecutionsIsRefused() {
        for (String query : List.of(
                "",
                "?dryRun=true",
                "?state=COMPLETED",
                "?state=",
                "?label=broken",
                "?dryRun=1",
                "?state=PENDING&submitedBy=x",
                "?state=PENDING&finishedWithin=PT1H")) {
            api.post(RestClient.EXECUTIONS + "/cancel" + query, "{}").expectStatus(400);
        }
    }

    @Test
    void endedExecutionIsErasedAndALiveOneIsNot() {
        String id = api.submit(SubmissionBody.javascript("console.log('begun'); await sleep('100s')"));
        String path = RestClient.EXECUTIONS + "/" + id;
        JsonNode refused =
                api.send(api.request(path).DELETE()).expectStatus(409).json();
        assertThat(refused.path("type").asText()).endsWith(":not-terminal");
        assertThat(refused.path("execution").asText()).isEqualTo(id);
        api.cancel(id);
        api.awaitEnd(id);

        api.send(api.request(path).DELETE()).expectStatus(204);

        for (String part : List.of(
                "", "/code", "/output", "/output/pieces", "/trace", "/journal", "/artifacts", "/why", "/children")) {
            api.get(path + part).expectStatus(404);
        }
        api.send(api.request(path).DELETE()).expectStatus(404);
        assertThat(api.get("/api/v1/audit?action=execution.delete&limit=100")
                        .json()
                        .path("items"))
                .filteredOn(entry -> entry.path("object").asText().equals(id))
                .extracting(entry -> entry.path("status").asInt())
                .containsExactlyInAnyOrder(409, 204, 404);
    }

    @Test
    void itemOfABatchKeepsTheStateOfItsErasedExecution() {
        JsonNode batch = api.post("/api/v1/batches", "{\"items\": [{\"code\": \"return 1\"}]}")
                .expectStatus(202)
                .json();
        String id = batch.at("/items/0/execution").asText();
        api.awaitEnd(id);
        api.send(api.request(RestClient.EXECUTIONS + "/" + id).DELETE()).expectStatus(204);

        String path = "/api/v1/batches/" + batch.path("id").asText();
        assertThat(api.get(path).json().at("/counts/COMPLETED").asInt()).isEqualTo(1);
        assertThat(api.get(path + "/items").json().at("/items/0/state").asText())
                .isEqualTo("COMPLETED");
        assertThat(api.get(path + "/items?results=true")
                        .json()
                        .at("/items/0/state")
                        .asText())
                .isEqualTo("COMPLETED");
    }

    @Test
    void reasonOfABatchReachesItsExecutions() {
        JsonNode batch = api.post(
                        "/api/v1/batches",
                        "{\"items\": [{\"code\": \"for (;;) await sleep(10)\"}, {\"code\": \"return 1\"}],"
                                + " \"maxParallel\": 1}")
                .expectStatus(202)
                .json();
        String path = "/api/v1/batches/" + batch.path("id").asText();
        JsonNode cancelled = api.post(path + "/cancel", "{\"reason\": \"wrong rows\"}")
                .expectStatus(202)
                .json();
        assertThat(cancelled.at("/cancellation/reason").asText()).isEqualTo("wrong rows");
        assertThat(cancelled.at("/cancellation/requestedBy")).isEqualTo(batch.path("submittedBy"));
        assertThat(api.post(path + "/cancel", "{\"reason\": \"another\"}")
                        .json()
                        .at("/cancellation/reason")
                        .asText())
                .isEqualTo("wrong rows");
        for (JsonNode item : batch.path("items")) {
            assertThat(api.awaitEnd(item.path("execution").asText())
                            .at("/cancellation/reason")
                            .asText())
                    .isEqualTo("wrong rows");
        }
    }

    @Test
    void openCallsEndWithTheirExecution() {
        String id = api.submit(SubmissionBody.javascript(
                "await Promise.all([1, 2, 3].map(value => demo.slow({ millis: 60000, value })));"));
        Await.until(
                "its calls are made",
                Duration.ofSeconds(60),
                () -> api.getTrace(id).stream()
                                .filter(event -> event.path("type").asText().equals("tool_start"))
                                .count()
                        == 3);

        api.cancel(id).expectStatus(202);

        api.awaitEnd(id);
        List<JsonNode> ends = api.getTrace(id).stream()
                .filter(event -> event.path("type").asText().equals("tool_end"))
                .toList();
        assertThat(ends).hasSize(3);
        assertThat(ends)
                .allSatisfy(end ->
                        assertThat(end.path("error").path("code").asText()).isEqualTo("cancelled"));
    }

    @Test
    void cancelDoesNotAffectOtherExecutions() {
        List<String> beside = Stream.generate(() -> api.submit(SubmissionBody.javascript("""
                        console.log('begun');
                        let sum = 0;
                        for (let i = 1; i <= 20; i++) { await sleep(100); sum = await demo.add({ a: sum, b: i }); }
                        return sum;
                        """)))
                .limit(4)
                .toList();
        beside.forEach(id -> api.awaitOutput(id, "begun"));

        for (int i = 0; i < 3; i++) {
            String hostile = api.submit(SubmissionBody.javascript("console.log('begun'); while (true) {}"));
            api.awaitOutput(hostile, "begun");
            api.cancel(hostile).expectStatus(202);
            assertThat(api.awaitEnd(hostile).path("state").asText()).isEqualTo("CANCELLED");
        }

        assertThat(beside)
                .allSatisfy(id ->
                        assertThat(api.awaitEnd(id).path("result").asInt()).isEqualTo(210));
    }

    @ParameterizedTest
    @CsvSource({"return 1;, COMPLETED", "throw 1;, FAILED"})
    void endedExecutionCannotBeCancelled(String code, String state) {
        String id = api.run(SubmissionBody.javascript(code)).path("id").asText();

        RestResponse answer = api.cancel(id);

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.problemType()).isEqualTo("already-terminal");
        assertThat(answer.json().path("state").asText()).isEqualTo(state);
        assertThat(api.getExecution(id).path("state").asText()).isEqualTo(state);
    }

    @Test
    void unknownExecutionCannotBeCancelled() {
        RestResponse answer = api.cancel("019ea7c0-1a2b-7000-92af-3bd76810d50e");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.problemType()).isEqualTo("not-found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"while (true) {}", "for (;;) await sleep(10);", "await demo.slow({ millis: 60000 });"})
    void scriptPastItsWallClockLimitTimesOut(String code) {
        TimingCalibration pace = TimingCalibration.of(api);
        JsonNode ended = api.run(SubmissionBody.javascript(code).limit("wallMillis", 1_000));

        assertThat(ended.path("state").asText()).isEqualTo("TIMED_OUT");
        assertThat(ended.path("error").path("code").asText()).isEqualTo("wall-clock-limit");
        assertThat(ended.path("error").path("culprit").asText()).isEqualTo("limit");
        assertThat(ended.path("runMillis").asLong())
                .isBetween(900L, pace.adjustLimit(Duration.ofSeconds(3)).toMillis());
    }

    @Test
    void scriptPastItsCpuLimitFails() {
        JsonNode ended = api.run(SubmissionBody.javascript("while (true) {}").limit("cpuMillis", 300));

        assertThat(ended.path("state").asText()).isEqualTo("FAILED");
        assertThat(ended.path("error").path("code").asText()).isEqualTo("cpu-limit");
    }

    @Test
    void waitingCountsAsNoCpuTime() {
        JsonNode ended =
                api.run(SubmissionBody.javascript("for (let i = 0; i < 10; i++) await sleep(500); return 'rested';")
                        .limit("cpuMillis", 4_000));

        assertThat(ended.path("result").asText()).describedAs(ended.toString()).isEqualTo("rested");
    }

    private static Instant finishedAt(JsonNode execution) {
        return Instant.parse(execution.path("finishedAt").asText());
    }
}
