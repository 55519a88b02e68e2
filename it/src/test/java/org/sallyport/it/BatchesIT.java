package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.EventStreamClient;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Batches: many executions submitted in one request. */
@ExtendWith(ServerExtension.class)
class BatchesIT {
    private static final String BATCHES = "/api/v1/batches";
    private static final String ONE = BATCHES + "/{id}";

    private final RestClient api;
    private final OpenApiResponseValidator description;

    BatchesIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private RestResponse assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer;
    }

    private JsonNode submit(String json) {
        return assertDescribed("POST", BATCHES, 202, api.post(BATCHES, json)).json();
    }

    private RestResponse submitLines(String query, String lines, String... headers) {
        var request = api.request(BATCHES + query)
                .header("Content-Type", "application/x-ndjson")
                .POST(RestClient.body(lines));
        return api.send(headers.length == 0 ? request : request.headers(headers));
    }

    private JsonNode awaitEnd(JsonNode batch) {
        String id = batch.path("id").asText();
        Await.until(
                "batch " + id + " has ended",
                Duration.ofMinutes(10),
                () -> api.get(BATCHES + "/" + id).json().path("finished").asBoolean());
        return assertDescribed("GET", ONE, 200, api.get(BATCHES + "/" + id)).json();
    }

    private List<JsonNode> results(JsonNode batch) {
        RestResponse answer = api.get(BATCHES + "/" + batch.path("id").asText() + "/results");
        answer.expectStatus(200);
        assertThat(answer.header("Content-Type")).startsWith("application/x-ndjson");
        return answer.text().lines().map(TestJson::read).toList();
    }

    private static List<String> executions(JsonNode batch) {
        List<String> ids = new ArrayList<>();
        batch.path("items").forEach(item -> {
            if (item.has("execution")) {
                ids.add(item.path("execution").asText());
            }
        });
        return ids;
    }

    private List<JsonNode> sharedDecisions(List<String> executions) {
        for (String id : executions) {
            assertDescribed(
                    "GET", "/api/v1/executions/{id}/trace", 200, api.get(RestClient.EXECUTIONS + "/" + id + "/trace"));
        }
        return executions.stream()
                .flatMap(id -> api.getTrace(id).stream())
                .filter(event -> event.path("decision").asText().equals("shared"))
                .toList();
    }

    /** Windows editors write a byte order mark, CR LF and blank lines. */
    @Test
    void linesOfAnEditorAreItems() {
        for (String start : List.of("\ufeff", "\ufeff\r\n")) {
            String lines = start + "{\"code\":\"return 1;\"}\r\n\r\n{\"code\":\"return 2;\"}\r\n"
                    + "   \r\n{\"code\":\"return 3;\"}";

            JsonNode batch = awaitEnd(assertDescribed("POST", BATCHES, 202, submitLines("", lines))
                    .json());

            assertThat(results(batch))
                    .extracting(line -> line.path("result").asInt())
                    .containsExactly(1, 2, 3);
        }
    }

    @Test
    void linesThatAreNoSubmissionsDoNotAffectTheOthers() {
        String lines = String.join(
                "\n",
                "{\"code\":\"return 1;\"}",
                "{\"code\": \"return 2;\", \"code\": \"return 3;\"}",
                "[]",
                "{\"code\": \"return 4;\"} {\"code\": \"return 5;\"}",
                "{\"code\": \"return 6;\" ",
                "\"return 7;\"",
                "{\"code\":\"return 8;\"}");

        JsonNode batch =
                assertDescribed("POST", BATCHES, 202, submitLines("", lines)).json();

        List<Integer> accepted = new ArrayList<>();
        for (int i = 0; i < batch.path("items").size(); i++) {
            if (batch.path("items").path(i).has("execution")) {
                accepted.add(i);
            }
        }
        assertThat(batch.path("items")).hasSize(7);
        assertThat(accepted).containsExactly(0, 6);
        awaitEnd(batch);
    }

    @Test
    void sharedReadsAreMadeOnceAndEffectsOncePerItem() {
        String name = UUID.randomUUID().toString();
        String items = IntStream.range(0, 20).mapToObj(i -> "{}").collect(Collectors.joining(","));
        String code = "const read = [await demo.slow({ value: 1, millis: 300 }), await demo.clock()];"
                + " await demo.counter_increment({ name: '" + name + "' }); return read";
        String defaults = "\"defaults\": {\"code\": \"" + code + "\"}";
        JsonNode batch = awaitEnd(submit("{\"items\": [" + items + "], " + defaults + ", \"shareReads\": true}"));
        List<JsonNode> results = results(batch);
        assertThat(results)
                .hasSize(20)
                .extracting(line -> line.path("result").toString())
                .as("one call of each tool")
                .containsOnly(results.get(0).path("result").toString());
        assertThat(results.get(0).at("/result/0").asInt()).isEqualTo(1);
        List<String> executions =
                results.stream().map(line -> line.path("execution").asText()).toList();
        List<JsonNode> given = sharedDecisions(executions);
        assertThat(given)
                .hasSize(38)
                .allSatisfy(event -> assertThat(event.path("rule").asText()).matches(".{36}/[12]"));
        assertThat(given.stream().map(event -> event.path("rule").asText()).distinct())
                .as("each of the two was asked by one")
                .hasSize(2);
        assertThat(api.run(SubmissionBody.javascript("return demo.counter_ledger({ name: args })")
                                .args('"' + name + '"'))
                        .path("result"))
                .hasSize(20);

        JsonNode apart = awaitEnd(submit("{\"items\": [" + items + "], " + defaults + "}"));
        List<JsonNode> own = results(apart);
        assertThat(own.stream().map(line -> line.at("/result/1").asText()).distinct())
                .hasSizeGreaterThan(1);
        assertThat(sharedDecisions(own.stream()
                        .map(line -> line.path("execution").asText())
                        .toList()))
                .isEmpty();
    }

    @Test
    void itemsOverrideShareReadsAndSingleSubmissionsRefuseIt() {
        String reads = "{\"code\": \"return await demo.clock()\"}\n";
        RestResponse accepted = submitLines(
                "?shareReads=true",
                reads + reads + "{\"code\": \"return await demo.clock()\", \"shareReads\": false}\n"
                        + "{\"code\": \"return 1\", \"shareReads\": 1}\n");
        List<JsonNode> results = results(awaitEnd(accepted.expectStatus(202).json()));
        assertThat(results.get(1).path("result")).isEqualTo(results.get(0).path("result"));
        assertThat(results.get(2).path("result")).isNotEqualTo(results.get(0).path("result"));
        assertThat(results.get(3).at("/problem/detail").asText()).contains("shareReads");
        assertThat(submitLines("?shareReads=maybe", reads).status()).isEqualTo(400);
        assertThat(api.post("/api/v1/executions", "{\"code\": \"return 1\", \"shareReads\": true}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void everyItemGetsItsVerdictAndResultInOrder() {
        String tooLarge = "//" + "x".repeat(300_000);
        JsonNode batch = submit("""
                {"items": [
                    {"args": 20},
                    {"code": "return +"},
                    {"args": 1, "args": 2},
                    {"code": "%s"},
                    {"args": 1, "limits": {"wallMillis": 999999999}},
                    {"nonsense": 1},
                    7,
                    {"code": "throw new Error('mine')"},
                    {"code": "{\\"tool\\": \\"demo.add\\", \\"arguments\\": {\\"a\\": 1, \\"b\\": 2}}"}
                 ],
                 "defaults": {"code": "return args + 1", "labels": {"team": "blue"}}}
                """.formatted(tooLarge));

        assertThat(batch.path("total").asInt()).isEqualTo(9);
        assertThat(batch.path("refused").asInt()).isEqualTo(6);
        List<Integer> statuses = new ArrayList<>();
        batch.path("items")
                .forEach(item -> statuses.add(item.at("/problem/status").asInt()));
        assertThat(statuses).containsExactly(0, 422, 400, 413, 400, 400, 400, 0, 0);
        assertThat(batch.at("/items/1/problem/line").asInt()).isEqualTo(1);

        JsonNode ended = awaitEnd(batch);
        assertThat(ended.path("counts")).isEqualTo(TestJson.read("{\"COMPLETED\": 2, \"FAILED\": 1}"));
        List<JsonNode> results = results(batch);
        assertThat(results).hasSize(9);
        assertThat(IntStream.range(0, 9)
                        .allMatch(i -> results.get(i).path("index").asInt() == i))
                .isTrue();
        assertThat(results.get(0).path("result").asInt()).isEqualTo(21);
        assertThat(results.get(1)).isEqualTo(batch.at("/items/1"));
        assertThat(results.get(7).at("/error/message").asText()).contains("mine");
        assertThat(results.get(8).path("result").asInt()).isEqualTo(3);
        JsonNode execution = api.getExecution(batch.at("/items/0/execution").asText());
        assertThat(execution.path("batch")).isEqualTo(batch.path("id"));
        assertThat(execution.at("/labels/team").asText()).isEqualTo("blue");
    }

    @Test
    void itemsWithoutLanguageMayBeTypeScript() {
        JsonNode batch = submit("""
                {"items": [{"code": "const n: number = 2; return n"}, {"code": "return 1"}]}
                """);

        awaitEnd(batch);
        assertThat(results(batch).stream().map(item -> item.path("result").asInt()))
                .containsExactly(2, 1);
        assertThat(IntStream.range(0, 2)
                        .mapToObj(i -> api.getExecution(
                                        batch.at("/items/" + i + "/execution").asText())
                                .path("language")
                                .asText()))
                .containsExactly("typescript", "javascript");
    }

    @Test
    void itemHasTheResultOfItsLastAttempt() {
        String name = UUID.randomUUID().toString();
        JsonNode batch = awaitEnd(submit("""
                {"items": [{}, {"code": "return 'once'"}, {}],
                 "maxParallel": 1,
                 "onFailure": "continue",
                 "defaults": {
                    "code": "const n = await demo.counter_increment({ name: args }); if (n < 2) throw 'no'; return n",
                    "args": "%s",
                    "retry": {"attempts": 3, "delayMillis": 100, "errorCodes": ["script-error"], "afterWrites": true}}}
                """.formatted(name)));

        assertThat(batch.at("/counts/FAILED").asInt()).as(batch.toString()).isZero();
        List<JsonNode> results = results(batch);
        assertThat(results.stream().map(line -> line.path("result").toString())).containsExactly("2", "\"once\"", "3");
        JsonNode last = api.getExecution(results.get(0).path("execution").asText());
        assertThat(last.at("/retry/attempt").asInt()).isEqualTo(2);
        assertThat(last.path("batch")).isEqualTo(batch.path("id"));
    }

    @Test
    void eachLineOfAnNdjsonBodyIsAnItem() {
        String lines = IntStream.range(0, 300)
                        .mapToObj(i -> "{\"code\": \"return args\", \"args\": " + i + "}")
                        .collect(Collectors.joining("\n"))
                + "\r\n\n  \nno json\n";
        JsonNode batch = assertDescribed("POST", BATCHES, 202, submitLines("?maxParallel=7", lines))
                .json();

        assertThat(batch.path("total").asInt()).isEqualTo(301);
        assertThat(batch.path("maxParallel").asInt()).isEqualTo(7);
        assertThat(batch.at("/items/300/problem/detail").asText()).contains("not valid JSON");
        assertThat(awaitEnd(batch).path("counts")).isEqualTo(TestJson.read("{\"COMPLETED\": 300}"));
        List<JsonNode> results = results(batch);
        for (int i = 0; i < 300; i++) {
            assertThat(results.get(i).path("result").asInt()).isEqualTo(i);
        }
        String first = BATCHES + "/" + batch.path("id").asText() + "/items?limit=200";
        JsonNode page =
                assertDescribed("GET", ONE + "/items", 200, api.get(first)).json();
        assertThat(page.path("items")).hasSize(200);
        JsonNode rest = assertDescribed(
                        "GET",
                        ONE + "/items",
                        200,
                        api.get(first + "&cursor=" + page.path("next").asText()))
                .json();
        assertThat(rest.path("items")).hasSize(101);
        assertThat(rest.at("/items/0/index").asInt()).isEqualTo(200);
        assertThat(rest.path("next").isNull()).isTrue();
    }

    @Test
    void anAtomicBatchIsAllOrNothing() {
        String mark = UUID.randomUUID().toString();
        RestResponse refused = assertDescribed(
                "POST",
                BATCHES,
                422,
                api.post(
                        BATCHES,
                        "{\"atomic\": true, \"items\": [{\"code\": \"1\"}, {\"code\": \"return +\"}],"
                                + " \"defaults\": {\"labels\": {\"mark\": \"" + mark + "\"}}}"));

        assertThat(refused.problemType()).isEqualTo("batch-refused");
        assertThat(refused.json().at("/items/0/index").asInt()).isEqualTo(1);
        assertThat(api.listExecutionIds(item -> item.at("/labels/mark").asText().equals(mark)))
                .isEmpty();
        assertThat(awaitEnd(submit("{\"atomic\": true, \"items\": [{\"code\": \"return 1\"}]}"))
                        .at("/counts/COMPLETED")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void runningItemsNeverExceedMaxParallel() {
        JsonNode batch =
                submit("""
                {"items": [%s], "defaults": {"code": "await sleep(60); return 1"}, "maxParallel": 3}
                """.formatted(IntStream.range(0, 30).mapToObj(i -> "{}").collect(Collectors.joining(","))));

        awaitEnd(batch);

        List<Instant> starts = new ArrayList<>();
        List<Instant> ends = new ArrayList<>();
        for (String id : executions(batch)) {
            JsonNode execution = api.getExecution(id);
            starts.add(Instant.parse(execution.path("startedAt").asText()));
            ends.add(Instant.parse(execution.path("finishedAt").asText()));
        }
        for (Instant moment : starts) {
            long underWay = IntStream.range(0, starts.size())
                    .filter(i -> !starts.get(i).isAfter(moment) && ends.get(i).isAfter(moment))
                    .count();
            assertThat(underWay).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void firstFailureStopsTheBatchAndFailedItemsCanBeRetried() {
        String counter = UUID.randomUUID().toString();
        String step = "const n = await demo.counter_increment({ name: context, by: 1 }); if (n === 4) throw new "
                + "Error('four');";
        ObjectNode body = TestJson.object();
        body.put("maxParallel", 1).put("onFailure", "stop");
        body.putObject("defaults").put("code", step).put("context", counter);
        IntStream.range(0, 20).forEach(i -> body.withArray("items").addObject());
        JsonNode batch = submit(TestJson.write(body));

        JsonNode ended = awaitEnd(batch);
        assertThat(ended.path("counts"))
                .isEqualTo(TestJson.read("{\"COMPLETED\": 3, \"FAILED\": 1, \"CANCELLED\": 16}"));
        assertThat(ended.path("stopped").asText()).isEqualTo("failure");

        String id = batch.path("id").asText();
        JsonNode retryBatch = assertDescribed("POST", ONE + "/retry", 202, api.post(BATCHES + "/" + id + "/retry", ""))
                .json();
        assertThat(retryBatch.path("total").asInt()).isEqualTo(1);
        assertThat(retryBatch.path("retryOf").asText()).isEqualTo(id);
        assertThat(awaitEnd(retryBatch).at("/counts/COMPLETED").asInt()).isEqualTo(1);
        assertThat(api.getExecution(retryBatch.at("/items/0/execution").asText())
                        .path("rerunOf")
                        .asText())
                .isEqualTo(batch.at("/items/3/execution").asText());
        assertDescribed(
                "POST",
                ONE + "/retry",
                409,
                api.post(BATCHES + "/" + retryBatch.path("id").asText() + "/retry", ""));
    }

    @Test
    void cancelEndsRunningAndQueuedItems() {
        JsonNode batch = submit("""
                {"items": [{}, {}, {}, {}, {}, {"code": "return 1"}], "maxParallel": 2,
                 "defaults": {"code": "for (;;) await sleep('5s')"}}
                """);
        String id = batch.path("id").asText();
        api.awaitRunning(batch.at("/items/0/execution").asText());
        api.awaitRunning(batch.at("/items/1/execution").asText());

        assertDescribed("POST", ONE + "/cancel", 202, api.post(BATCHES + "/" + id + "/cancel", ""));

        assertThat(awaitEnd(batch).path("counts")).isEqualTo(TestJson.read("{\"CANCELLED\": 6}"));
        assertDescribed("POST", ONE + "/cancel", 202, api.post(BATCHES + "/" + id + "/cancel", ""));
    }

    @Test
    void eventStreamReportsProgressUntilTheEnd() {
        JsonNode batch = submit("""
                {"items": [{}, {}, {}, {}, {}], "maxParallel": 1, "defaults": {"code": "await sleep(1500)"}}
                """);
        String path = BATCHES + "/" + batch.path("id").asText() + "/events";
        List<EventStreamClient.ServerSentEvent> events =
                EventStreamClient.of(api.request(path)).readAll();

        EventStreamClient.ServerSentEvent last = events.get(events.size() - 1);
        assertThat(events).hasSizeGreaterThan(3);
        assertThat(last.name()).isEqualTo("result");
        assertThat(last.data().at("/counts/COMPLETED").asInt()).isEqualTo(5);
        assertThat(EventStreamClient.of(api.request(path).header("Last-Event-ID", last.id()))
                        .status())
                .isEqualTo(204);
    }

    @Test
    void sameIdempotencyKeyGivesTheSameBatch() {
        String key = UUID.randomUUID().toString();
        RestResponse first = submitLines("", "{\"code\": \"return 1\"}", "Idempotency-Key", key);
        RestResponse second = submitLines("", "{\"code\": \"return 1\"}", "Idempotency-Key", key);
        RestResponse other = submitLines("", "{\"code\": \"return 2\"}", "Idempotency-Key", key);
        RestResponse options = submitLines("?maxParallel=1", "{\"code\": \"return 1\"}", "Idempotency-Key", key);

        assertThat(assertDescribed("POST", BATCHES, 202, second).json().path("id"))
                .isEqualTo(first.expectStatus(202).json().path("id"));
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(assertDescribed("POST", BATCHES, 422, other).problemType()).isEqualTo("idempotency-conflict");
        assertThat(options.problemType()).isEqualTo("idempotency-conflict");
    }

    @Test
    void invalidBatchIsRefused() {
        for (String bad : List.of(
                "{}",
                "[]",
                "{\"items\": []}",
                "{\"items\": 1}",
                "{\"items\": [{\"code\": \"1\"}], \"x\": 1}",
                "{\"items\": [{\"code\": \"1\"}], \"maxParallel\": 0}",
                "{\"items\": [{\"code\": \"1\"}], \"maxParallel\": 1.5}",
                "{\"items\": [{\"code\": \"1\"}], \"onFailure\": \"explode\"}",
                "{\"items\": [{\"code\": \"1\"}], \"atomic\": \"yes\"}",
                "{\"items\": [{\"code\": \"1\"}], \"defaults\": []}",
                "{\"items\": [{\"code\": \"1\"}",
                "{\"items\": [{\"code\": \"1\"}]} {}",
                "")) {
            assertThat(assertDescribed("POST", BATCHES, 400, api.post(BATCHES, bad))
                            .problemType())
                    .as(bad)
                    .isEqualTo("validation");
        }
        String tooMany = "{}\n".repeat(10_001);
        assertThat(assertDescribed("POST", BATCHES, 413, submitLines("", tooMany))
                        .problemType())
                .isEqualTo("payload-too-large");
        assertThat(assertDescribed(
                                "POST",
                                BATCHES,
                                415,
                                api.send(api.request(BATCHES)
                                        .header("Content-Type", "text/plain")
                                        .POST(RestClient.body("{}"))))
                        .problemType())
                .isEqualTo("unsupported-media-type");
        for (String part : List.of("", "/items", "/results", "/events")) {
            assertThat(api.get(BATCHES + "/" + UUID.randomUUID() + part).problemType())
                    .isEqualTo("not-found");
        }
    }

    @Tag("slow")
    @Test
    void thousandsOfItemsAreAcceptedAndRun() {
        int items = Integer.getInteger("batch.items", 2_500);
        String lines = IntStream.range(0, items)
                .mapToObj(i -> "{\"code\": \"return args\", \"args\": " + i + "}")
                .collect(Collectors.joining("\n"));
        long begun = System.nanoTime();
        JsonNode batch = submitLines("", lines).expectStatus(202).json();
        long accepted = System.nanoTime();
        assertThat(batch.path("items")).hasSize(items);

        assertThat(awaitEnd(batch).path("counts")).isEqualTo(TestJson.read("{\"COMPLETED\": " + items + "}"));

        System.out.println(items + " items: accepted in " + (accepted - begun) / 1_000_000 + " ms, ended after "
                + (System.nanoTime() - begun) / 1_000_000 + " ms");
        assertThat(results(batch)).hasSize(items);
    }
}
