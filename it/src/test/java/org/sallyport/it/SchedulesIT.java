package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** Schedules, on a server that allows an interval of one second. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchedulesIT {
    private static final String ALL = "/api/v1/schedules";
    private static final String ONE = ALL + "/{id}";
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    private final RestClient api;
    private final OpenApiResponseValidator description;

    SchedulesIT(TestTenant tenant) {
        this.api = tenant.api();
        this.description = OpenApiResponseValidator.of(api);
    }

    private JsonNode assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private static String everySecondSchedule(String more, String code) {
        return "{\"name\": \"s-" + UUID.randomUUID() + "\", \"everyMillis\": 1000, " + more + "\"run\": {\"code\": \""
                + code + "\"}}";
    }

    private String createSchedule(RestClient by, String body) {
        return assertDescribed("POST", ALL, 201, by.post(ALL, body)).path("id").asText();
    }

    private JsonNode getSchedule(String id) {
        return assertDescribed("GET", ONE, 200, api.get(ALL + "/" + id));
    }

    private List<JsonNode> runs(String id) {
        List<JsonNode> runs = new ArrayList<>();
        assertDescribed("GET", ONE + "/executions", 200, api.get(ALL + "/" + id + "/executions?limit=200"))
                .path("items")
                .forEach(runs::add);
        return runs;
    }

    private void delete(String id) {
        assertThat(api.send(api.request(ALL + "/" + id).DELETE()).status()).isEqualTo(204);
    }

    @Test
    void scheduleThatIsReplacedMoreOftenThanItIsDueStillFires() {
        String body = "{\"name\": \"kept\", \"everyMillis\": 2000, \"run\": {\"code\": \"return 1\"}}";
        // Every second replacement changes the code, but never the interval.
        List<String> bodies = List.of(body, body.replace("return 1", "return 2"));
        String id = createSchedule(api, body);
        long[] lastReplacement = {System.nanoTime()};
        int[] replacements = {0};

        Await.until("the schedule has fired", TIMEOUT, () -> {
            if (System.nanoTime() - lastReplacement[0] > Duration.ofMillis(300).toNanos()) {
                lastReplacement[0] = System.nanoTime();
                assertDescribed(
                        "PUT",
                        ONE,
                        200,
                        api.send(api.request(ALL + "/" + id)
                                .header("Content-Type", "application/json")
                                .PUT(RestClient.body(bodies.get(replacements[0]++ % 2)))));
            }
            return !runs(id).isEmpty();
        });
        assertThat(replacements[0]).isPositive();
        delete(id);
    }

    @Test
    void languageOfAScheduledScriptIsFoundAtItsFiring() {
        String id = createSchedule(
                api,
                "{\"name\": \"s-" + UUID.randomUUID() + "\", \"everyMillis\": 86400000,"
                        + " \"run\": {\"code\": \"const n: number = 4; return n\"}}");
        assertThat(getSchedule(id).path("run").has("language")).isFalse();

        JsonNode ran = assertDescribed(
                "POST",
                ONE + "/run",
                200,
                api.send(api.request(ALL + "/" + id + "/run")
                        .header("Prefer", "wait=30")
                        .POST(BodyPublishers.noBody())));

        assertThat(ran.path("result").asInt()).describedAs(ran.toString()).isEqualTo(4);
        assertThat(ran.path("language").asText()).isEqualTo("typescript");
        delete(id);
    }

    @Test
    void documentedExampleIsAcceptedAndRuns() throws IOException {
        Matcher block = Pattern.compile("```json schedule\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(CheckoutPaths.root().resolve("docs/schedules.md")));
        assertThat(block.find()).isTrue();
        String id = createSchedule(api, block.group(1));
        assertThat(assertDescribed("POST", ALL, 409, api.post(ALL, block.group(1)))
                        .path("type")
                        .asText())
                .endsWith("schedule-exists");

        JsonNode times = assertDescribed("GET", ONE + "/next", 200, api.get(ALL + "/" + id + "/next?count=3"))
                .path("times");
        assertThat(times).hasSize(3);
        assertThat(getSchedule(id).path("nextAt")).isEqualTo(times.get(0));
        JsonNode ran = assertDescribed(
                "POST",
                ONE + "/run",
                200,
                api.send(api.request(ALL + "/" + id + "/run")
                        .header("Prefer", "wait=30")
                        .POST(BodyPublishers.noBody())));
        assertThat(ran.path("result").asInt()).isEqualTo(42);
        assertThat(ran.path("labels"))
                .isEqualTo(TestJson.read("{\"team\": \"research\", \"sallyport.schedule\": \"nightly-sum\"}"));
        assertThat(ran.path("schedule").asText()).isEqualTo(id);
        assertThat(ran.path("submittedBy")).isEqualTo(getSchedule(id).path("submittedBy"));
        assertThat(runs(id)).singleElement().satisfies(run -> {
            assertThat(run.path("execution")).isEqualTo(ran.path("id"));
            assertThat(run.path("at").isNull()).isTrue();
        });
        assertThat(getSchedule(id).at("/lastRun/state").asText()).isEqualTo("COMPLETED");
        assertDescribed("GET", ALL, 200, api.get(ALL + "?limit=1"));
        delete(id);
        assertThat(api.get(ALL + "/" + id).status()).isEqualTo(404);
        assertThat(api.getExecution(ran.path("id").asText())).isEqualTo(ran);
    }

    @Test
    void overlappingRunIsSkippedOrCancelsTheEarlierRun() {
        String skips = createSchedule(api, everySecondSchedule("", "await sleep('100s')"));
        Await.until(
                "a time is left out",
                TIMEOUT,
                () -> getSchedule(skips).at("/lastSkipped/reason").asText().equals("overlap"));
        assertThat(runs(skips)).singleElement().satisfies(run -> {
            JsonNode begun = api.getExecution(run.path("execution").asText());
            assertThat(begun.path("schedule").asText()).isEqualTo(skips);
            assertThat(begun.path("submittedBy")).isEqualTo(getSchedule(skips).path("submittedBy"));
        });
        delete(skips);

        String cancels =
                createSchedule(api, everySecondSchedule("\"overlap\": \"cancel-previous\", ", "await sleep('100s')"));
        Await.until("it ran", TIMEOUT, () -> runs(cancels).size() >= 3);
        List<JsonNode> begun = runs(cancels);
        delete(cancels);
        for (JsonNode earlier : begun.subList(1, begun.size())) {
            assertThat(api.awaitEnd(earlier.path("execution").asText())
                            .path("state")
                            .asText())
                    .isEqualTo("CANCELLED");
        }
    }

    @Test
    void scheduleWithoutItsOwnersKeyIsPausedUntilTakenOver() {
        JsonNode issued = api.post("/api/v1/api-keys", "{\"name\": \"owner\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json();
        String id = createSchedule(api.withKey(issued.path("key").asText()), everySecondSchedule("", "return 1"));
        assertThat(getSchedule(id).path("owner")).isEqualTo(issued.path("id"));
        Await.until("it ran", TIMEOUT, () -> !runs(id).isEmpty());
        assertThat(api.send(api.request("/api/v1/api-keys/" + issued.path("id").asText())
                                .DELETE())
                        .status())
                .isEqualTo(204);
        Await.until(
                "it is paused",
                TIMEOUT,
                () -> getSchedule(id).path("pauseReason").asText().equals("the key of its owner is no longer valid"));
        int before = runs(id).size();

        JsonNode resumed = assertDescribed(
                "POST",
                ONE + "/resume",
                200,
                api.send(api.request(ALL + "/" + id + "/resume").POST(BodyPublishers.noBody())));
        assertThat(resumed.path("owner")).isNotEqualTo(issued.path("id"));
        Await.until("it goes on", TIMEOUT, () -> runs(id).size() > before);
        delete(id);
    }

    private JsonNode putRows(RestClient by, String id, String type, String content, int status) {
        return assertDescribed(
                "PUT",
                ONE + "/rows",
                status,
                by.send(by.request(ALL + "/" + id + "/rows")
                        .header("Content-Type", type)
                        .PUT(BodyPublishers.ofString(content))));
    }

    private JsonNode batchesOf(String id) {
        return assertDescribed("GET", ONE + "/batches", 200, api.get(ALL + "/" + id + "/batches"))
                .path("items");
    }

    private JsonNode awaitBatch(String id) {
        String path = "/api/v1/batches/" + id;
        Await.until(
                "it ends", TIMEOUT, () -> api.get(path).json().path("finished").asBoolean());
        return api.get(path).json();
    }

    private void publish(String name, String code) {
        api.post("/api/v1/capabilities", """
                {"name": "%s", "version": "1.0.0", "code": "%s", "tools": ["demo.*"], "inputSchema": {
                  "type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}}}
                """.formatted(name, code)).expectStatus(201);
    }

    private static String everySecondRows(String more) {
        return "{\"name\": \"r-" + UUID.randomUUID() + "\", \"everyMillis\": 1000, \"batch\": {" + more + "}}";
    }

    @Test
    void documentedScheduleOfRowsSubmitsItsFile() throws IOException {
        publish("shop.refund", "return args.price * 2");
        Matcher block = Pattern.compile("```json schedule-rows\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(CheckoutPaths.root().resolve("docs/schedules.md")));
        assertThat(block.find()).isTrue();
        String id = createSchedule(api, block.group(1));
        assertThat(getSchedule(id).at("/batch/capability").asText()).isEqualTo("shop.refund");
        assertDescribed(
                "POST",
                ONE + "/batches",
                400,
                api.send(api.request(ALL + "/" + id + "/batches").POST(BodyPublishers.noBody())));
        JsonNode check = putRows(api, id, "text/csv", "price\n12.5\nmuch\n40\n", 200);
        assertThat(check.path("total").asInt()).isEqualTo(3);
        assertThat(check.path("refused").asInt()).isEqualTo(1);
        assertThat(check.at("/problems/0/problem/sourceLine").asInt()).isEqualTo(3);
        JsonNode rows = getSchedule(id).path("rows");
        assertThat(rows.path("count").asInt()).isEqualTo(3);
        assertThat(rows.path("refused").asInt()).isEqualTo(1);
        assertThat(rows.path("bytes").asInt()).isEqualTo(19);
        assertThat(rows.path("contentType").asText()).isEqualTo("text/csv");

        JsonNode batch = assertDescribed(
                "POST",
                ONE + "/batches",
                202,
                api.send(api.request(ALL + "/" + id + "/batches").POST(BodyPublishers.noBody())));
        String batchId = batch.path("id").asText();
        assertThat(batch.path("capability").asText()).isEqualTo("shop.refund@1.0.0");
        assertThat(batch.path("maxParallel").asInt()).isEqualTo(4);
        assertThat(batch.path("refused").asInt()).isEqualTo(1);
        assertThat(awaitBatch(batchId).at("/counts/COMPLETED").asInt()).isEqualTo(2);
        assertThat(api.send(api.request("/api/v1/batches/" + batchId + "/results")
                                .header("Accept", "text/csv"))
                        .text()
                        .lines()
                        .map(line -> line.replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "ID")))
                .startsWith("price,execution,state,result,error", "12.5,ID,COMPLETED,25,")
                .endsWith("40,ID,COMPLETED,80,");
        JsonNode execution = api.getExecution(api.get("/api/v1/batches/" + batchId + "/items")
                .json()
                .at("/items/0/execution")
                .asText());
        assertThat(execution.at("/labels/sallyport.schedule").asText()).isEqualTo("nightly-refunds");
        assertThat(execution.path("schedule").asText()).isEqualTo(id);
        assertThat(batchesOf(id)).singleElement().satisfies(each -> {
            assertThat(each.path("batch").asText()).isEqualTo(batchId);
            assertThat(each.path("at").isNull()).isTrue();
            assertThat(each.path("total").asInt()).isEqualTo(3);
        });
        assertThat(getSchedule(id).at("/lastBatch/batch").asText()).isEqualTo(batchId);
        delete(id);
        assertThat(api.get("/api/v1/batches/" + batchId).status()).isEqualTo(200);
    }

    @Test
    void eachTimeSubmitsOneBatchOfTheStoredRows() {
        publish("rows.each", "return args.price");
        String id = createSchedule(api, everySecondRows("\"capability\": \"rows.each\""));
        Await.until(
                "a time without rows is skipped",
                TIMEOUT,
                () -> getSchedule(id).at("/lastSkipped/reason").asText().equals("no-rows"));
        assertThat(batchesOf(id)).isEmpty();
        putRows(api, id, "application/x-ndjson", "{\"price\": 1}\n{\"price\": 2}\n", 200);
        Await.until("it ran three times", TIMEOUT, () -> batchesOf(id).size() >= 3);
        api.post(ALL + "/" + id + "/pause", "{\"reason\": \"enough\"}").expectStatus(200);
        List<String> times = batchesOf(id).findValuesAsText("at");
        assertThat(times).doesNotHaveDuplicates();
        for (JsonNode each : batchesOf(id)) {
            assertThat(awaitBatch(each.path("batch").asText())
                            .at("/counts/COMPLETED")
                            .asInt())
                    .isEqualTo(2);
        }
        delete(id);
    }

    @Test
    void overlapConcernsTheWholeBatch() {
        publish("rows.slow", "await sleep('100s')");
        String id = createSchedule(api, everySecondRows("\"capability\": \"rows.slow\", \"maxParallel\": 1"));
        putRows(api, id, "text/csv", "price\n1\n2\n", 200);
        Await.until(
                "a time is left out",
                TIMEOUT,
                () -> getSchedule(id).at("/lastSkipped/reason").asText().equals("overlap"));
        assertThat(batchesOf(id)).hasSize(1);
        api.post(ALL + "/" + id + "/pause", "{\"reason\": \"enough\"}").expectStatus(200);
        String batch = batchesOf(id).get(0).path("batch").asText();
        api.post("/api/v1/batches/" + batch + "/cancel", "{}").expectStatus(202);
        delete(id);
    }

    @Test
    void nextTimeCancelsThePreviousBatch() {
        publish("rows.endless", "await sleep('100s')");
        String id = createSchedule(
                api,
                "{\"name\": \"endless\", \"everyMillis\": 1000, \"overlap\": \"cancel-previous\","
                        + " \"catchUp\": \"none\", \"batch\": {\"capability\": \"rows.endless\","
                        + " \"maxParallel\": 1}}");
        putRows(api, id, "text/csv", "price\n1\n2\n", 200);
        Await.until("it ran twice", TIMEOUT, () -> batchesOf(id).size() >= 2);
        api.post(ALL + "/" + id + "/pause", "{\"reason\": \"enough\"}").expectStatus(200);
        List<String> batches = batchesOf(id).findValuesAsText("batch");
        JsonNode previous = assertDescribed(
                "GET", "/api/v1/batches/{id}", 200, api.get("/api/v1/batches/" + batches.get(batches.size() - 1)));
        assertThat(previous.path("stopped").asText()).isEqualTo("schedule");
        assertThat(previous.has("cancellation")).as("no caller cancelled it").isFalse();
        assertThat(previous.at("/counts/CANCELLED").asInt()).isEqualTo(2);
        api.post("/api/v1/batches/" + batches.get(0) + "/cancel", "{}").expectStatus(202);
        delete(id);
    }

    @Test
    void fileThatNoBatchCanBeMadeOfIsRefused() {
        publish("rows.strict", "return args.price");
        String id = createSchedule(
                api,
                "{\"name\": \"strict\", \"cron\": \"0 3 * * *\", \"batch\": {\"capability\": \"rows.strict\","
                        + " \"atomic\": true}}");
        putRows(api, id, "text/csv", "", 400);
        putRows(api, id, "text/csv", "price\n", 400);
        putRows(api, id, "text/csv", "price\n\"1\n", 400);
        putRows(api, id, "application/json", "[]", 415);
        assertThat(putRows(api, id, "text/csv", "price\n1\nx\n", 422)
                        .path("type")
                        .asText())
                .endsWith("batch-refused");
        assertThat(getSchedule(id).has("rows")).isFalse();
        putRows(api, id, "text/csv", "price\n1\n", 200);
        putRows(api, id, "text/csv", "price\nx\n", 422);
        assertThat(getSchedule(id).at("/rows/count").asInt())
                .as("the earlier file stays")
                .isEqualTo(1);
        assertDescribed(
                "POST",
                ONE + "/run",
                400,
                api.send(api.request(ALL + "/" + id + "/run").POST(BodyPublishers.noBody())));
        delete(id);
        putRows(api, id, "text/csv", "price\n1\n", 404);

        String single = createSchedule(
                api, "{\"name\": \"single\", \"cron\": \"0 3 * * *\", \"run\": {\"code\": \"return 1\"}}");
        putRows(api, single, "text/csv", "price\n1\n", 400);
        delete(single);
        for (String batch : List.of(
                "{}",
                "{\"capability\": \"rows.strict\", \"items\": []}",
                "{\"capability\": \"rows.strict\", \"maxParallel\": 0}",
                "{\"capability\": \"rows.strict\", \"atomic\": 1}",
                "{\"capability\": \"rows.strict\", \"onFailure\": \"maybe\"}",
                "{\"capability\": \"rows.strict\"}, \"run\": {\"code\": \"return 1\"}")) {
            assertDescribed(
                    "POST",
                    ALL,
                    400,
                    api.post(ALL, "{\"name\": \"bad\", \"everyMillis\": 5000, \"batch\": " + batch + "}"));
        }
        assertDescribed(
                "POST",
                ALL,
                404,
                api.post(ALL, "{\"name\": \"bad\", \"everyMillis\": 5000, \"batch\": {\"capability\": \"no.such\"}}"));
    }

    @Test
    void uploaderBecomesTheOwner() {
        publish("rows.owned", "return args.price");
        JsonNode issued = api.post("/api/v1/api-keys", "{\"name\": \"uploader\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json();
        String id = createSchedule(api, everySecondRows("\"capability\": \"rows.owned\""));
        RestClient uploader = api.withKey(issued.path("key").asText());
        putRows(uploader, id, "text/csv", "price\n1\n", 200);
        JsonNode schedule = getSchedule(id);
        assertThat(schedule.path("owner")).isEqualTo(issued.path("id"));
        assertThat(schedule.at("/rows/uploadedBy")).isEqualTo(issued.path("id"));
        assertThat(schedule.path("submittedBy")).isNotEqualTo(issued.path("id"));
        Await.until("it ran", TIMEOUT, () -> !batchesOf(id).isEmpty());
        assertThat(api.get("/api/v1/batches/"
                                + batchesOf(id).get(0).path("batch").asText())
                        .json()
                        .path("submittedBy"))
                .isEqualTo(issued.path("id"));
        delete(id);
    }

    @Test
    void invalidScheduleIsRefused() {
        String run = "\"run\": {\"code\": \"return 1\"}";
        for (String body : List.of(
                "{}",
                "{\"name\": \"x\", " + run + "}",
                "{\"name\": \"x\", \"cron\": \"* * * * *\", \"everyMillis\": 5000, " + run + "}",
                "{\"name\": \"x\", \"cron\": \"61 * * * *\", " + run + "}",
                "{\"name\": \"x\", \"cron\": \"0 0 30 2 *\", " + run + "}",
                "{\"name\": \"x\", \"cron\": \"* * * * *\", \"zone\": \"Mars/Olympus\", " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"zone\": \"UTC\", " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 999, " + run + "}",
                "{\"name\": \"a b\", \"everyMillis\": 5000, " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"overlap\": \"maybe\", " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"catchUp\": \"some\", " + run + "}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {}}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {\"code\": \"return 1\", \"debug\": \"inspect\"}}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {\"code\": \"return 1\", \"limits\": "
                        + "{\"wallMillis\": 0}}}",
                "{\"name\": \"x\", \"everyMillis\": 5000, \"tenant\": \"other\", " + run + "}")) {
            assertDescribed("POST", ALL, 400, api.post(ALL, body));
        }
        assertDescribed(
                "POST",
                ALL,
                422,
                api.post(ALL, "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {\"code\": \"return +\"}}"));
        assertDescribed(
                "POST",
                ALL,
                404,
                api.post(ALL, "{\"name\": \"x\", \"everyMillis\": 5000, \"run\": {\"capability\": \"no.such\"}}"));
        assertDescribed("GET", ONE, 404, api.get(ALL + "/x"));
        assertDescribed("GET", ONE + "/next", 404, api.get(ALL + "/" + UUID.randomUUID() + "/next"));
        assertThat(api.get(ALL).json().path("items").findValuesAsText("name")).doesNotContain("x");
    }

    /** As while instances of a connector are updated one after the other. */
    @Test
    void scheduleWhoseToolIsMissingForAWhileIsNotPaused() {
        publishCapability("late.base", "1.0.0", "");
        publishCapability("late.caller", "1.0.0", "\"tools\": [\"capabilities.late.base\"], ");
        String id = createSchedule(
                api,
                "{\"name\": \"s-" + UUID.randomUUID()
                        + "\", \"everyMillis\": 1000, \"run\": {\"capability\": \"late.caller\"}}");
        Await.until("it runs", TIMEOUT, () -> !runs(id).isEmpty());
        api.post("/api/v1/capabilities/late.base/versions/1.0.0/deprecate", "{}")
                .expectStatus(200);
        Await.until("a due time has passed without a run", TIMEOUT, () -> {
            JsonNode schedule = getSchedule(id);
            assertThat(schedule.path("paused").asBoolean()).isFalse();
            return Instant.parse(schedule.path("nextAt").asText())
                    .isBefore(Instant.now().minusSeconds(3));
        });
        publishCapability("late.base", "1.0.1", "");
        int before = runs(id).size();
        Await.until("it runs again", TIMEOUT, () -> runs(id).size() > before);
        delete(id);
    }

    @Test
    void scheduleOfRowsWhoseToolIsMissingForAWhileIsTriedAgain() {
        publishCapability("later.base", "1.0.0", "");
        publishCapability(
                "later.rows",
                "1.0.0",
                "\"tools\": [\"capabilities.later.base\"], \"inputSchema\": {\"type\": \"object\","
                        + " \"properties\": {\"price\": {\"type\": \"number\"}}}, ");
        String id = createSchedule(api, everySecondRows("\"capability\": \"later.rows\""));
        putRows(api, id, "text/csv", "price\n1\n", 200);
        Await.until("it runs", TIMEOUT, () -> !batchesOf(id).isEmpty());
        api.post("/api/v1/capabilities/later.base/versions/1.0.0/deprecate", "{}")
                .expectStatus(200);
        Await.until(
                "it is delayed",
                TIMEOUT,
                () -> getSchedule(id)
                        .path("delayReason")
                        .asText()
                        .startsWith("the tool 'capabilities.later.base' does not exist"));
        assertThat(getSchedule(id).path("paused").asBoolean()).isFalse();
        int before = batchesOf(id).size();
        publishCapability("later.base", "1.0.1", "");
        Await.until("it runs again", TIMEOUT, () -> batchesOf(id).size() > before);
        delete(id);
    }

    private void publishCapability(String name, String version, String more) {
        api.post(
                        "/api/v1/capabilities",
                        "{\"name\": \"" + name + "\", \"version\": \"" + version + "\", " + more
                                + "\"code\": \"export default () => 1\"}")
                .expectStatus(201);
    }
}
