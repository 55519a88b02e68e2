package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedWriter;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.ProcessInspector;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;

/** Batches of which each row is the arguments of one capability. */
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BatchRowsIT {
    private static final String BATCHES = "/api/v1/batches";
    private static final String CAPABILITIES = "/api/v1/capabilities";
    private static final String CSV = "text/csv";
    private static final String LINES = "application/x-ndjson";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration LONG_TIMEOUT = Duration.ofMinutes(15);
    private static final long SMALL_HEAP_BYTES = 256L << 20;

    private final RestClient api;
    private final OpenApiResponseValidator description;

    BatchRowsIT(TestTenant tenant) {
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

    private JsonNode getDescribed(String path, String query) {
        return assertDescribed("GET", path, 200, api.get(path + query));
    }

    private JsonNode itemsOf(JsonNode batch, String query) {
        return assertDescribed(
                "GET",
                BATCHES + "/{id}/items",
                200,
                api.get(BATCHES + "/" + batch.path("id").asText() + "/items" + query));
    }

    @BeforeAll
    void publish() {
        publish("shop.order", "return { name: args.name, total: args.price * args.count, gift: args.gift }");
    }

    private void publish(String name, String code) {
        publish(name, code, "");
    }

    private void publish(String name, String code, String tools) {
        api.post(CAPABILITIES, """
                {"name": "%s", "version": "1.0.0", "code": "%s", "tools": [%s], "inputSchema": {
                  "type": "object", "required": ["name", "price"], "properties": {
                    "name": {"type": "string"}, "price": {"type": "number"},
                    "count": {"type": "integer", "minimum": 1}, "gift": {"type": "boolean"},
                    "state": {"type": "string"}}}}
                """.formatted(name, code, tools)).expectStatus(201);
    }

    private RestResponse submit(String query, String type, String body) {
        return api.send(api.request(BATCHES + query)
                .header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(body.getBytes(StandardCharsets.UTF_8))));
    }

    private JsonNode accepted(String query, String type, String body) {
        return assertDescribed("POST", BATCHES, 202, submit(query, type, body));
    }

    private String results(JsonNode batch, String type) {
        String id = batch.path("id").asText();
        Await.until(
                "batch ends",
                TIMEOUT,
                () -> api.get(BATCHES + "/" + id).json().path("finished").asBoolean());
        RestResponse results =
                api.send(api.request(BATCHES + "/" + id + "/results").header("Accept", type));
        assertThat(results.header("Content-Type")).startsWith(type);
        return results.text().replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "ID");
    }

    @Test
    void halvesOfCharactersAreReplacedInResults() {
        JsonNode batch =
                accepted("?capability=shop.order", LINES, "{\"name\": \"a\\ud800b\", \"price\": 1, \"count\": 2}\n");

        assertThat(results(batch, CSV)).contains("a\ufffdb");
        assertThat(results(batch, LINES)).contains("a\ufffdb").doesNotContainIgnoringCase("\\ud800");
    }

    @Test
    void csvRowsRunTheCapabilityAndKeepTheirColumns() {
        JsonNode batch = accepted(
                "?capability=shop.order",
                CSV,
                "\uFEFFname,price,count,gift\r\nlamp,12.50,2,TRUE\r\n"
                        + "\"chair, \"\"blue\"\"\",40,1,\r\n007,1e2,3,false\r\n");

        assertThat(batch.path("capability").asText()).isEqualTo("shop.order@1.0.0");
        assertThat(batch.path("total").asInt()).isEqualTo(3);
        assertThat(batch.path("refused").asInt()).isZero();
        assertThat(results(batch, CSV).split("\r\n", -1))
                .containsExactly(
                        "name,price,count,gift,execution,state,result,error",
                        "lamp,12.50,2,TRUE,ID,COMPLETED," + quoted("{\"name\":\"lamp\",\"total\":25,\"gift\":true}")
                                + ",",
                        quoted("chair, \"blue\"") + ",40,1,,ID,COMPLETED,"
                                + quoted("{\"name\":\"chair, \\\"blue\\\"\",\"total\":40}") + ",",
                        "007,1e2,3,false,ID,COMPLETED," + quoted("{\"name\":\"007\",\"total\":300,\"gift\":false}")
                                + ",",
                        "");
    }

    /** A cell in quotes. */
    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }

    @Test
    void eachRowIsRefusedForItselfWithItsLine() {
        JsonNode batch = accepted(
                "?capability=shop.order",
                CSV,
                "name,price,count\n\"two\nlines\",1,1\nlamp,much,1\n\nlamp,1\nlamp,1,0\nlamp,1,1\n");

        assertThat(batch.path("refused").asInt()).isEqualTo(3);
        assertThat(batch.at("/items/0/execution").isTextual()).isTrue();
        assertThat(batch.at("/items/1/problem/type").asText()).endsWith("invalid-arguments");
        assertThat(batch.at("/items/1/problem/pointer").asText()).isEqualTo("/price");
        assertThat(batch.at("/items/1/problem/sourceLine").asInt()).isEqualTo(4);
        assertThat(batch.at("/items/2/problem/detail").asText())
                .contains("2 cells")
                .contains("3 columns");
        assertThat(batch.at("/items/2/problem/sourceLine").asInt()).isEqualTo(6);
        assertThat(batch.at("/items/3/problem/pointer").asText()).isEqualTo("/count");
        assertThat(batch.at("/items/3/problem/sourceLine").asInt()).isEqualTo(7);
        List<String> lines = results(batch, CSV).lines().toList();
        assertThat(lines.get(3)).startsWith("lamp,much,1,,REFUSED,,\"'args/price' ");
        assertThat(results(batch, LINES).lines().toList().get(1))
                .contains("\"row\":{\"name\":\"lamp\",\"price\":\"much\",\"count\":\"1\"}");
    }

    @Test
    void batchIsOneEntryOfTheListOfExecutions() {
        publish("shop.listed", "return args.price");
        String before =
                api.run(SubmissionBody.javascript("return 1")).path("id").asText();
        JsonNode batch = accepted("?capability=shop.listed", CSV, "name,price\na,1\nb,2\nc,3\n");
        String after = api.run(SubmissionBody.javascript("return 2")).path("id").asText();

        JsonNode whole = getDescribed(RestClient.EXECUTIONS, "?collapseBatches=true&limit=3");
        assertThat(whole.path("items").findValuesAsText("id")).containsExactly(after, before);
        assertThat(whole.path("batches")).hasSize(1);
        assertThat(whole.at("/batches/0/id").asText())
                .isEqualTo(batch.path("id").asText());
        assertThat(whole.at("/batches/0/total").asInt()).isEqualTo(3);
        JsonNode first = getDescribed(RestClient.EXECUTIONS, "?collapseBatches=true&limit=2");
        assertThat(first.path("items").findValuesAsText("id")).containsExactly(after);
        assertThat(first.path("batches")).hasSize(1);
        JsonNode second = getDescribed(
                RestClient.EXECUTIONS,
                "?collapseBatches=true&limit=1&cursor=" + first.path("next").asText());
        assertThat(second.path("items").findValuesAsText("id")).containsExactly(before);
        assertThat(second.path("batches")).isEmpty();
        assertThat(api.get(RestClient.EXECUTIONS + "?limit=1").json().has("batches"))
                .isFalse();
    }

    @Test
    void checkShowsTheFirstRowsTypedAndTheFaults() {
        publish("shop.check", "return args.price", "\"demo.clock\"");
        String rows = "name,price,gift\n7,12.50,true\nb,much,\nc,2,FALSE\nd,2,\nc,2,FALSE\ne,2,1\nf,x,\n";
        int before = api.get(BATCHES).json().path("items").size();

        JsonNode check = assertDescribed(
                "POST",
                BATCHES + "/validate",
                200,
                api.send(api.request(BATCHES + "/validate?capability=shop.check&coalesce=true")
                        .header("Content-Type", CSV)
                        .POST(BodyPublishers.ofString(rows))));

        assertThat(check.path("capability").asText()).isEqualTo("shop.check@1.0.0");
        assertThat(check.path("columns").toString()).isEqualTo("[\"name\",\"price\",\"gift\"]");
        assertThat(check.path("total").asInt()).isEqualTo(7);
        assertThat(check.path("refused").asInt()).isEqualTo(3);
        assertThat(check.path("coalesced").asInt()).isEqualTo(1);
        assertThat(check.path("items")).hasSize(5);
        assertThat(check.at("/items/0/args").toString()).isEqualTo("{\"name\":\"7\",\"price\":12.5,\"gift\":true}");
        assertThat(check.at("/items/2/args").toString()).isEqualTo("{\"name\":\"c\",\"price\":2,\"gift\":false}");
        assertThat(check.at("/items/1/problem/pointer").asText()).isEqualTo("/price");
        assertThat(check.at("/items/1/row/price").asText()).isEqualTo("much");
        assertThat(check.path("problems").findValuesAsText("index")).containsExactly("1", "5", "6");
        assertThat(check.path("problems").findValuesAsText("sourceLine")).containsExactly("3", "7", "8");
        assertThat(api.get(BATCHES).json().path("items"))
                .as("nothing is stored")
                .hasSize(before);
    }

    @Test
    void checkTakesTheOtherFormsOfABatch() {
        publish("shop.checked", "return args.price");
        JsonNode json = assertDescribed(
                "POST", BATCHES + "/validate", 200, api.post(BATCHES + "/validate", """
                        {"items": [{"code": "return 1", "args": "%s"}, {"code": "return (", "args": 2}, {"args": 1}],
                         "atomic": true}
                        """.formatted("x".repeat(10_001))));
        assertThat(json.path("refused").asInt()).isEqualTo(2);
        assertThat(json.at("/items/0/argsOmitted").asBoolean()).isTrue();
        assertThat(json.at("/items/1/problem/type").asText()).endsWith("syntax-error");
        assertThat(json.path("columns")).isEmpty();

        RestResponse none = api.send(api.request(BATCHES + "/validate?capability=shop.none")
                .header("Content-Type", LINES)
                .POST(BodyPublishers.ofString("{}\n")));
        assertThat(none.expectStatus(404).json().path("detail").asText()).contains("shop.none");
        RestResponse empty = api.send(api.request(BATCHES + "/validate?capability=shop.checked")
                .header("Content-Type", CSV)
                .POST(BodyPublishers.ofString("name,price\n")));
        assertThat(empty.expectStatus(400).json().path("detail").asText()).isEqualTo("the batch has no items");
    }

    @Test
    void equalRowsThatOnlyReadRunOnce() {
        publish("shop.now", "return [args.price, await demo.clock()]", "\"demo.clock\"");
        String rows = "name,price\na,1\na,2\na,1\nb,1\na,much\na,1\na,2\na,much\n";
        JsonNode batch = accepted("?capability=shop.now&coalesce=true", CSV, rows);

        assertThat(batch.path("total").asInt()).isEqualTo(8);
        assertThat(batch.path("refused").asInt()).isEqualTo(2);
        assertThat(batch.path("coalesced").asInt()).isEqualTo(3);
        List<String> executions = batch.path("items").findValuesAsText("execution");
        assertThat(executions).hasSize(6);
        assertThat(new HashSet<>(executions)).hasSize(3);
        assertThat(executions.get(2)).isEqualTo(executions.get(0)).isEqualTo(executions.get(4));
        List<String> lines = results(batch, LINES).lines().toList();
        assertThat(lines.get(2)).contains("\"result\":[1,", "\"index\":2");
        assertThat(result(lines.get(2))).isEqualTo(result(lines.get(0))).isEqualTo(result(lines.get(5)));
        assertThat(result(lines.get(6))).isEqualTo(result(lines.get(1)));
        JsonNode counts =
                api.get(BATCHES + "/" + batch.path("id").asText()).json().path("counts");
        assertThat(counts.toString()).isEqualTo("{\"COMPLETED\":6}");
        JsonNode separate = accepted("?capability=shop.now", CSV, rows);
        assertThat(separate.path("coalesced").asInt()).isZero();
    }

    @Test
    void sharedExecutionCannotChangeAnything() {
        publish("shop.tell", "return events.emit('shop.told', args).catch((e) => e.code)", "\"demo.clock\"");
        JsonNode batch =
                accepted("?capability=shop.tell&coalesce=true&shareReads=true", CSV, "name,price\na,1\na,1\na,2\n");

        assertThat(results(batch, CSV).lines().skip(1).map(line -> line.replaceAll(".*COMPLETED,", "")))
                .satisfiesExactly(
                        first -> assertThat(first).contains("denied"),
                        second -> assertThat(second).contains("denied"),
                        alone -> assertThat(alone).startsWith("null"));
        String shared = batch.at("/items/0/execution").asText();
        assertThat(api.get("/api/v1/executions/" + shared)
                        .json()
                        .path("readOnly")
                        .asBoolean())
                .isTrue();
        JsonNode alone = api.get(
                        "/api/v1/executions/" + batch.at("/items/2/execution").asText())
                .json();
        assertThat(alone.has("readOnly")).isFalse();
        JsonNode rerun = api.post("/api/v1/executions/" + shared + "/rerun", "{}")
                .expectStatus(202)
                .json();
        assertThat(api.awaitEnd(rerun.path("id").asText()).path("readOnly").asBoolean())
                .isTrue();
    }

    private static String result(String line) {
        return line.replaceAll(".*\"result\":(\\[[^]]*\\]).*", "$1");
    }

    @Test
    void rowsThatMayWriteRunEach() {
        publish("shop.mail", "return await demo.clock()", "\"demo.clock\", \"demo.send_mail\"");
        publish("shop.any", "return await demo.clock()", "\"*\"");

        for (String capability : List.of("shop.mail", "shop.any")) {
            JsonNode batch = accepted("?capability=" + capability + "&coalesce=true", CSV, "name,price\na,1\na,1\n");
            assertThat(batch.path("coalesced").asInt()).as(capability).isZero();
            assertThat(new HashSet<>(batch.path("items").findValuesAsText("execution")))
                    .hasSize(2);
        }
    }

    @Test
    void aRetryRunsCoalescedRowsOnceAgain() {
        publish("shop.fail", "throw new Error(await demo.clock())", "\"demo.clock\"");
        JsonNode batch =
                accepted("?capability=shop.fail&coalesce=true&maxParallel=1", CSV, "name,price\na,1\na,1\na,2\na,1\n");
        assertThat(batch.path("coalesced").asInt()).isEqualTo(2);
        results(batch, LINES);

        JsonNode retry = api.post(BATCHES + "/" + batch.path("id").asText() + "/retry", "")
                .expectStatus(202)
                .json();

        assertThat(retry.path("total").asInt()).isEqualTo(4);
        assertThat(retry.path("coalesced").asInt()).isEqualTo(2);
        assertThat(results(retry, CSV).lines().toList())
                .hasSize(5)
                .filteredOn(line -> line.startsWith("a,1,ID,FAILED"))
                .hasSize(3);
    }

    @Test
    void itemsOfAJsonBatchAreCoalesced() {
        publish("shop.read", "return args.price", "\"demo.clock\"");
        JsonNode batch = accepted("", "application/json", """
                {"coalesce": true, "defaults": {"capability": "shop.read", "args": {"name": "a", "price": 1}},
                 "items": [{}, {"code": "return 1"}, {"code": "return 1"}, {"labels": {"a": "b"}}, {},
                           {"args": {"price": 1, "name": "a"}}, {"context": 1}]}
                """);

        assertThat(batch.path("coalesced").asInt()).isEqualTo(1);
        assertThat(batch.at("/items/4/execution").asText())
                .isEqualTo(batch.at("/items/0/execution").asText());
    }

    @Test
    void pagesOfItemsHaveResultsOrOnlyTheFailedItems() {
        publish("shop.strict", "if (args.price > 2) throw new Error('too dear'); return args.name.repeat(400_000)");
        JsonNode batch = accepted("?capability=shop.strict", CSV, "name,price\na,1\nb,3\nc,much\nd,2\ne,2\nf,2\ng,1\n");
        results(batch, LINES);

        JsonNode unsuccessful = itemsOf(batch, "?unsuccessful=true&results=true");

        assertThat(unsuccessful.path("items").findValuesAsText("index")).containsExactly("1", "2");
        assertThat(unsuccessful.at("/items/0/error/message").asText()).contains("too dear");
        assertThat(unsuccessful.at("/items/0/runMillis").isNumber()).isTrue();
        assertThat(unsuccessful.at("/items/0/row/name").asText()).isEqualTo("b");
        assertThat(unsuccessful.at("/items/1/problem/sourceLine").asInt()).isEqualTo(4);
        assertThat(unsuccessful.path("next").isNull()).isTrue();
        JsonNode first = itemsOf(batch, "?results=true");
        assertThat(first.path("items").findValuesAsText("index"))
                .as("a page of more than 1 MiB ends early")
                .containsExactly("0", "1", "2", "3", "4");
        assertThat(first.at("/items/4/result").asText()).hasSize(400_000);
        JsonNode second = itemsOf(
                batch,
                "?results=true&cursor=" + URLEncoder.encode(first.path("next").asText(), StandardCharsets.UTF_8));
        assertThat(second.path("items").findValuesAsText("index")).containsExactly("5", "6");
        assertThat(second.path("next").isNull()).isTrue();
        assertThat(itemsOf(batch, "").at("/items/0").has("result")).isFalse();
        String erased = RestClient.EXECUTIONS + "/"
                + unsuccessful.at("/items/0/execution").asText();
        api.send(api.request(erased).DELETE()).expectStatus(204);
        JsonNode without = itemsOf(batch, "?unsuccessful=true&results=true").at("/items/0");
        assertThat(without.path("state").asText()).as(without.toString()).isEqualTo("FAILED");
        assertThat(without.toString()).doesNotContain("\"b\"");
        api.get(BATCHES + "/" + batch.path("id").asText() + "/items?unsuccessful=yes")
                .expectStatus(400);
    }

    @Test
    void atomicBatchStoresNoRowIfOneIsRefused() {
        RestResponse refused = submit("?capability=shop.order&atomic=true", CSV, "name,price\nlamp,1\nlamp,much\n");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.problemType()).isEqualTo("batch-refused");
        assertThat(refused.json().at("/items/0/index").asInt()).isEqualTo(1);
        assertThat(refused.json().at("/items/0/problem/sourceLine").asInt()).isEqualTo(3);
    }

    @Test
    void linesOfBareArgumentsRunTheCapability() {
        JsonNode batch = accepted(
                "?capability=shop.order&version=1.0.0&maxParallel=1",
                LINES,
                "{\"name\":\"lamp\",\"price\":1.5,\"count\":2}\n\n{\"price\":1}\n[1]\n{\"name\"\n");

        assertThat(batch.path("refused").asInt()).isEqualTo(3);
        assertThat(batch.at("/items/1/problem/sourceLine").asInt()).isEqualTo(3);
        assertThat(batch.at("/items/3/problem/type").asText()).endsWith("validation");
        assertThat(results(batch, LINES).lines().findFirst().orElseThrow())
                .contains("\"result\":{\"name\":\"lamp\",\"total\":3}")
                .contains("\"row\":{\"name\":\"lamp\",\"price\":1.5,\"count\":2}");
        assertThat(results(batch, CSV).lines().limit(2))
                .containsExactly(
                        "name,price,count,gift,state,execution,state_,result,error",
                        "lamp,1.5,2,,,ID,COMPLETED," + quoted("{\"name\":\"lamp\",\"total\":3}") + ",");
    }

    @Test
    void failedRowsAreRetriedWithTheirColumns() {
        publish("shop.broken", "throw new Error('=1+1 ' + args.name)");
        JsonNode batch = accepted("?capability=shop.broken", CSV, "name,price\n=SUM(A1),1\n");

        assertThat(batch.path("capability").asText()).isEqualTo("shop.broken@1.0.0");
        assertThat(results(batch, CSV).lines().toList().get(1)).startsWith("=SUM(A1),1,ID,FAILED,,script-error: ");
        JsonNode retry = api.post(BATCHES + "/" + batch.path("id").asText() + "/retry", "")
                .expectStatus(202)
                .json();
        assertThat(retry.path("capability").asText()).isEqualTo("shop.broken@1.0.0");
        assertThat(results(retry, CSV).lines().toList().get(1)).startsWith("=SUM(A1),1,ID,FAILED,,script-error: ");
    }

    @Test
    void batchNamesTheCapabilityOfItemsWithoutAScript() {
        JsonNode batch = accepted(
                "",
                "application/json",
                "{\"capability\": \"shop.order\", \"version\": \"1.0.0\", \"items\": [{\"args\": {\"name\": \"lamp\","
                        + " \"price\": 2, \"count\": 2}}, {\"code\": \"return 7\"}, {\"args\": {}}]}");

        assertThat(batch.path("capability").asText()).isEqualTo("shop.order@1.0.0");
        assertThat(batch.at("/items/2/problem/type").asText()).endsWith("invalid-arguments");
        assertThat(results(batch, CSV).lines().limit(3))
                .containsExactly(
                        "index,execution,state,result,error",
                        "0,ID,COMPLETED," + quoted("{\"name\":\"lamp\",\"total\":4}") + ",",
                        "1,ID,COMPLETED,7,");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "name,,price\n",
                "name,name\n1,2\n",
                "name;price\nlamp;1\n",
                "name,price\n\"lamp,1\n",
                "name,price\n\"lamp\"x,1\n",
                "name,price\nlamp,1\n\"",
                "name,price\n"
            })
    void fileThatIsNoCsvIsRefusedAsAWhole(String body) {
        RestResponse refused = submit("?capability=shop.order", CSV, body);

        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.problemType()).isEqualTo("validation");
    }

    @Test
    void rowsNeedACapabilityThatExists() {
        assertThat(submit("", CSV, "name\nlamp\n").problemType()).isEqualTo("validation");
        assertThat(submit("?capability=shop.none", CSV, "name\nlamp\n").status())
                .isEqualTo(404);
        assertThat(submit("?capability=shop.order&version=9.9.9", CSV, "name\nlamp\n")
                        .status())
                .isEqualTo(404);
        assertThat(submit("?capability=shop.order&integrity=sha256-x", CSV, "name\nlamp\n")
                        .problemType())
                .isEqualTo("integrity-mismatch");
        assertThat(submit("?capability=shop.order", "application/json", "[{}]").status())
                .isEqualTo(400);
        assertThat(submit("?capability=shop.order", "text/csv; header=absent", "lamp\n")
                        .status())
                .isEqualTo(415);
    }

    @Test
    void manyRowsAreAccepted() {
        assertAcceptsRows(2_000);
    }

    @Tag("slow")
    @Test
    void tenThousandRowsAreAccepted() {
        assertAcceptsRows(10_000);
    }

    private void assertAcceptsRows(int count) {
        String rows = IntStream.range(0, count)
                .mapToObj(number -> "lamp " + number + "," + number + "\n")
                .collect(Collectors.joining("", "name,price\n", ""));
        JsonNode batch = submit("?capability=shop.order&maxParallel=1", CSV, rows)
                .expectStatus(202)
                .json();

        assertThat(batch.path("refused").asInt()).isZero();
        assertThat(batch.path("items")).hasSize(count);
        JsonNode newest =
                api.get(RestClient.EXECUTIONS + "?collapseBatches=true&limit=1").json();
        assertThat(newest.at("/batches/0/id").asText())
                .as("one page passes over all executions of the batch")
                .isEqualTo(batch.path("id").asText());
        api.post(BATCHES + "/" + batch.path("id").asText() + "/cancel", "").expectStatus(202);
    }

    /** The rows, and their results as CSV, are larger than the heap of the server. */
    @Tag("slow")
    @Test
    void rowsLargerThanTheHeapAreRunAndRead(@TempDir Path directory) throws Exception {
        int count = 4_000;
        int cellLength = 7_500;
        Path rows = directory.resolve("rows.csv");
        String cells = (",\"" + "wide, ".repeat(cellLength / 6) + "\"").repeat(9);
        try (BufferedWriter file = Files.newBufferedWriter(rows)) {
            file.write("number,a,b,c,d,e,f,g,h,i\n");
            for (int i = 0; i < count; i++) {
                file.write(i + cells + "\n");
            }
        }
        try (SallyportServer server = ServerSetup.create("small-heap")
                // Replaces the heap of the command line. Workers do not get this variable.
                .withEnvironment("_JAVA_OPTIONS", "-Xmx" + SMALL_HEAP_BYTES)
                .with("sallyport.batch.body-bytes", Long.toString(2 * SMALL_HEAP_BYTES))
                .start()) {
            assertThat(Files.size(rows)).isGreaterThan(SMALL_HEAP_BYTES);
            assertThat(ProcessInspector.jcmd(server.pid(), "VM.flags")).contains("MaxHeapSize=" + SMALL_HEAP_BYTES);
            RestClient own = server.api();
            own.post(
                            CAPABILITIES,
                            "{\"name\": \"wide\", \"version\": \"1.0.0\","
                                    + " \"code\": \"return args.number + ' ' + Object.values(args).join('').length\"}")
                    .expectStatus(201);

            JsonNode batch = own.send(own.request(BATCHES + "?capability=wide")
                            .timeout(LONG_TIMEOUT)
                            .header("Content-Type", CSV)
                            .POST(BodyPublishers.ofFile(rows)))
                    .expectStatus(202)
                    .json();

            assertThat(batch.path("items")).hasSize(count);
            assertThat(batch.path("refused").asInt()).isZero();
            String path = BATCHES + "/" + batch.path("id").asText();
            Await.until(
                    "all rows have run",
                    LONG_TIMEOUT,
                    () -> own.get(path).json().path("finished").asBoolean());
            assertThat(own.get(path).json().path("counts").toString()).isEqualTo("{\"COMPLETED\":" + count + "}");
            try (Stream<String> lines = HttpClient.newHttpClient()
                    .send(
                            own.request(path + "/results")
                                    .timeout(LONG_TIMEOUT)
                                    .header("Accept", CSV)
                                    .build(),
                            BodyHandlers.ofLines())
                    .body()) {
                Iterator<String> line = lines.iterator();
                assertThat(line.next()).isEqualTo("number,a,b,c,d,e,f,g,h,i,execution,state,result,error");
                for (int i = 0; i < count; i++) {
                    String number = Integer.toString(i);
                    int length = number.length() + 9 * cellLength;
                    assertThat(line.next())
                            .startsWith(number + cells + ",")
                            .endsWith(",COMPLETED,\"\"\"" + number + " " + length + "\"\"\",");
                }
                assertThat(line).isExhausted();
            }
        }
    }
}
