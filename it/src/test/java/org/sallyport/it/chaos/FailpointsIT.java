package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/**
 * The node dies once at each failpoint while it runs one script. The next node on the same data must end that script
 * with the expected outcome.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailpointsIT {
    private static final String COUNT_SCRIPT = "return demo.counter_increment({ name: args });";
    /** The script waits long enough for the journal to store the reply of the call before the script ends. */
    private static final String COUNT_AND_WAIT_SCRIPT =
            "const n = await demo.counter_increment({ name: args }); await demo.slow({ millis: 600 }); return n;";

    private static final String PUT_SCRIPT =
            "await demo.kv_put({ key: args, value: 1 }); return demo.kv_get({ key: args });";
    private static final String READ_SCRIPT = "return demo.add({ a: 1, b: 0 });";
    private static final String BATCHES = "/api/v1/batches";
    private static final String ROWS = "a\n0\n1\n2\n3\n0\n";
    private static final int DIFFERENT_ROWS = 4;
    private static final String COMPLETED_WITH_ONE = "COMPLETED 1";
    private static final String FAILED_WITH_UNKNOWN_OUTCOME = "FAILED outcome-unknown";

    /** Each script but one loses its node once. */
    private static final int ATTEMPTS = 2;

    private final ChaosEnvironment environment =
            ChaosEnvironment.startWithMaxAttempts(ATTEMPTS, ChaosPlan.fromProperties());

    /**
     * @param expectedCalls how often the connectors of both nodes receive the script's first call
     * @param expectedCount the final value of the counter
     */
    record FailpointCase(
            Failpoint point, String script, String expectedOutcome, int expectedCalls, int expectedCount) {}

    static Stream<FailpointCase> rows() {
        return ChaosPlan.fromProperties().isLongRun() ? Stream.concat(effectCases(), repeatableCases()) : effectCases();
    }

    private static Stream<FailpointCase> effectCases() {
        return Stream.of(
                new FailpointCase(Failpoint.ACCEPTED, COUNT_SCRIPT, COMPLETED_WITH_ONE, 1, 1),
                new FailpointCase(Failpoint.CLAIMED, COUNT_SCRIPT, COMPLETED_WITH_ONE, 1, 1),
                // From here until the reply is stored, the outcome is unknown: the journal says only that the call may
                // have been sent.
                new FailpointCase(Failpoint.CALL_JOURNALED, COUNT_SCRIPT, FAILED_WITH_UNKNOWN_OUTCOME, 0, 0),
                new FailpointCase(Failpoint.CALL_MADE, COUNT_SCRIPT, FAILED_WITH_UNKNOWN_OUTCOME, 1, 1),
                new FailpointCase(Failpoint.REPLY_HEARD, COUNT_SCRIPT, FAILED_WITH_UNKNOWN_OUTCOME, 1, 1),
                new FailpointCase(Failpoint.ENDED, COUNT_AND_WAIT_SCRIPT, COMPLETED_WITH_ONE, 1, 1));
    }

    private static Stream<FailpointCase> repeatableCases() {
        return Stream.of(
                new FailpointCase(Failpoint.CALL_JOURNALED, PUT_SCRIPT, COMPLETED_WITH_ONE, 1, 0),
                new FailpointCase(Failpoint.CALL_MADE, PUT_SCRIPT, COMPLETED_WITH_ONE, 2, 0),
                new FailpointCase(Failpoint.REPLY_HEARD, READ_SCRIPT, COMPLETED_WITH_ONE, 2, 0));
    }

    /** @param query parameters of the submission */
    record BatchCase(Failpoint point, int times, String query) {}

    static Stream<BatchCase> batches() {
        Stream<BatchCase> always = Stream.of(
                new BatchCase(Failpoint.BATCH_STORED, 1, ""),
                new BatchCase(Failpoint.BATCH_ADVANCING, 2, "&maxParallel=2"),
                new BatchCase(Failpoint.BATCH_ADMITTED, 1, "&maxParallel=2"),
                new BatchCase(Failpoint.BATCH_ENDING, 1, "&maxParallel=2&coalesce=true"));
        return ChaosPlan.fromProperties().isLongRun() ? Stream.concat(always, moreBatches()) : always;
    }

    private static Stream<BatchCase> moreBatches() {
        return Stream.of(
                new BatchCase(Failpoint.BATCH_STORED, 1, "&maxParallel=2&coalesce=true"),
                new BatchCase(Failpoint.ACCEPTED, 1, ""),
                new BatchCase(Failpoint.CLAIMED, 2, ""),
                new BatchCase(Failpoint.ENDED, 3, "&coalesce=true"),
                new BatchCase(Failpoint.BATCH_ADMITTED, 2, "&maxParallel=1&onFailure=stop"),
                new BatchCase(Failpoint.BATCH_ADVANCING, 4, "&maxParallel=1"),
                new BatchCase(Failpoint.BATCH_ENDING, 1, "&maxParallel=3"));
    }

    @BeforeAll
    void warmUp() {
        environment
                .server()
                .api()
                .post(
                        "/api/v1/capabilities",
                        "{\"name\": \"adds\", \"version\": \"1.0.0\", \"tools\": [\"demo.add\"],"
                                + " \"code\": \"return demo.add({ a: args.a, b: 1 });\", \"inputSchema\": {\"type\":"
                                + " \"object\", \"properties\": {\"a\": {\"type\": \"integer\"}}}}")
                .expectStatus(201);
        assertThat(environment
                        .server()
                        .api()
                        .run(SubmissionBody.javascript(READ_SCRIPT))
                        .path("result")
                        .asInt())
                .isEqualTo(1);
    }

    @AfterAll
    void end() {
        try {
            assertThat(activeBatchesAfterDeath()).isEmpty();
        } finally {
            environment.close();
        }
    }

    /** A node may die before it has marked the last batch, and then the next node must mark it. */
    private List<String> activeBatchesAfterDeath() {
        SallyportServer server = environment.server();
        List<String> active = List.of("unknown");
        for (int attempt = 0; attempt < 3 && !active.isEmpty(); attempt++) {
            if (!server.isAlive()) {
                server.startProcess();
                server.awaitReady();
            }
            server.api().run(SubmissionBody.javascript(READ_SCRIPT));
            server.kill();
            active = environment.readSnapshot().activeBatches();
        }
        return active;
    }

    @ParameterizedTest
    @MethodSource("rows")
    void nextNodeEndsTheScriptAsExpectedAfterANodeDiesAtAFailpoint(FailpointCase row) {
        SallyportServer server = environment.server();
        String key = UUID.randomUUID().toString();
        String body =
                SubmissionBody.javascript(row.script()).args("\"" + key + "\"").json();
        environment.failpoints().arm(row.point(), 1);

        submit(server, body, key);
        Await.until("the node dies at " + row.point(), Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        RestResponse repeated = server.api().send(server.api().submissionRequest(body, "Idempotency-Key", key));
        String id = repeated.json().path("id").asText();
        JsonNode ended = server.api().awaitEnd(id);
        assertThat(describeOutcome(ended)).as(ended.toString()).isEqualTo(row.expectedOutcome());
        assertThat(environment.failpoints().connectorCalls().stream().filter(call -> call.startsWith(id + "/1 ")))
                .hasSize(row.expectedCalls());
        JsonNode ledger = server.api()
                .run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                        .args("\"" + key + "\""))
                .path("result");
        assertThat(ledger).hasSize(row.expectedCount());
        ledger.forEach(call -> assertThat(call.asText()).isEqualTo(id + "/1"));
        assertThat(List.of(server.api().getExecution(id))).containsExactly(ended);
    }

    @ParameterizedTest
    @MethodSource("batches")
    void nextNodeEndsTheBatchAfterANodeDiesAtAFailpoint(BatchCase row) {
        SallyportServer server = environment.server();
        String key = UUID.randomUUID().toString();
        int before = server.api().get(BATCHES).json().path("items").size();
        int executions = countExecutions(server);
        environment.failpoints().arm(row.point(), row.times());

        ignoringDeath(server, () -> submitRows(server, row.query(), key));
        Await.until("the node dies at " + row.point(), Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        if (row.point() == Failpoint.BATCH_STORED) {
            assertThat(server.api().get(BATCHES).json().path("items")).hasSize(before);
            assertThat(countExecutions(server)).isEqualTo(executions);
        }
        String batch = BATCHES + "/"
                + submitRows(server, row.query(), key).json().path("id").asText();
        Await.until(
                "the batch has ended",
                Duration.ofSeconds(120),
                () -> server.api().get(batch).json().path("finished").asBoolean());
        List<JsonNode> results = server.api()
                .get(batch + "/results")
                .text()
                .lines()
                .map(TestJson::read)
                .toList();
        assertThat(results)
                .extracting(
                        each -> each.path("index").asInt(),
                        each -> each.path("result").asInt())
                .containsExactly(tuple(0, 1), tuple(1, 2), tuple(2, 3), tuple(3, 4), tuple(4, 1));
        assertThat(results.stream().map(each -> each.path("execution").asText()).distinct())
                .hasSize(row.query().contains("coalesce") ? DIFFERENT_ROWS : results.size());
        assertThat(server.api().get(BATCHES).json().path("items")).hasSize(before + 1);
    }

    private static int countExecutions(SallyportServer server) {
        return server.api()
                .get(RestClient.EXECUTIONS + "?limit=200")
                .json()
                .path("items")
                .size();
    }

    private static RestResponse submitRows(SallyportServer server, String query, String key) {
        RestClient api = server.api();
        return api.send(api.request(BATCHES + "?capability=adds" + query)
                        .header("Content-Type", "text/csv")
                        .header("Idempotency-Key", key)
                        .POST(RestClient.body(ROWS)))
                .expectStatus(202);
    }

    @Test
    void scriptFailsWithoutEffectIfEveryNodeDies() {
        SallyportServer server = environment.server();
        String key = UUID.randomUUID().toString();
        String body =
                SubmissionBody.javascript(COUNT_SCRIPT).args("\"" + key + "\"").json();
        environment.failpoints().arm(Failpoint.CLAIMED, 1);
        submit(server, body, key);
        Await.until("the first node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);

        // Only losses of an execution that ran alone are counted. From the second start on, executions run alone.
        int deaths = 0;
        do {
            deaths++;
            assertThat(deaths).isLessThanOrEqualTo(1 + ATTEMPTS);
            server.startProcess();
            Await.until(
                    "the script fails, or the next node dies, too",
                    Duration.ofMinutes(4),
                    () -> !server.isAlive() || hasFailed(server, body, key));
        } while (!server.isAlive());
        environment.failpoints().disarm();
        server.awaitReady();

        RestResponse repeated = server.api().send(server.api().submissionRequest(body, "Idempotency-Key", key));
        String id = repeated.json().path("id").asText();
        JsonNode ended = server.api().awaitEnd(id);
        assertThat(describeOutcome(ended)).as(ended.toString()).isEqualTo("FAILED runner-lost");
        assertThat(ended.path("attempt").asInt()).isEqualTo(deaths).isGreaterThanOrEqualTo(ATTEMPTS);
        assertThat(environment.failpoints().connectorCalls()).noneMatch(call -> call.startsWith(id));
        assertThat(server.api()
                        .run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                                .args("\"" + key + "\""))
                        .path("result"))
                .isEmpty();
    }

    @Test
    void nextNodeContinuesTheDeletionOfOldExecutions() {
        SallyportServer server = environment.server();
        List<JsonNode> kept =
                IntStream.range(0, 3).mapToObj(any -> runToEnd(server)).toList();
        List<String> old = IntStream.range(0, 5)
                .mapToObj(any -> runToEnd(server).path("id").asText())
                .toList();
        server.kill();
        environment.backdate(old, Duration.ofDays(31));
        DatabaseSnapshot before = environment.readSnapshot();
        environment.failpoints().arm(Failpoint.PURGING, 1);

        server.startProcess();
        assertThat(server.awaitExitCode(Duration.ofMinutes(4))).isEqualTo(137);
        assertThat(environment.readSnapshot()).isEqualTo(before);
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        for (String id : old) {
            Await.until(
                    id + " is deleted",
                    Duration.ofSeconds(120),
                    () -> server.api().get(RestClient.EXECUTIONS + "/" + id).status() == 404);
        }
        kept.forEach(each ->
                assertThat(server.api().getExecution(each.path("id").asText())).isEqualTo(each));
    }

    @Test
    void nextNodeFiresTheInterruptedScheduleTimeOnce() {
        SallyportServer server = environment.server();
        String all = "/api/v1/schedules";
        JsonNode schedule = server.api()
                .post(
                        all,
                        "{\"name\": \"dying\", \"everyMillis\": 10000, \"catchUp\": \"all\", \"run\": {\"code\": "
                                + "\"return 1\"}}")
                .expectStatus(201)
                .json();
        String runs = all + "/" + schedule.path("id").asText() + "/executions";
        environment.failpoints().arm(Failpoint.FIRING, 1);
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        Await.until(
                "its time is seen to",
                Duration.ofSeconds(120),
                () -> !server.api().get(runs).json().path("items").isEmpty());
        List<String> times = server.api().get(runs).json().path("items").findValuesAsText("at");
        assertThat(times)
                .doesNotHaveDuplicates()
                .endsWith(schedule.path("nextAt").asText());
        server.api()
                .send(server.api()
                        .request(all + "/" + schedule.path("id").asText())
                        .DELETE());
    }

    @Test
    void nextNodeSubmitsTheBatchOfTheInterruptedScheduleTimeOnce() {
        SallyportServer server = environment.server();
        server.api()
                .post(
                        "/api/v1/capabilities",
                        "{\"name\": \"dying.rows\", \"version\": \"1.0.0\", \"code\": \"return args.row\"}")
                .expectStatus(201);
        JsonNode schedule = server.api()
                .post(
                        "/api/v1/schedules",
                        "{\"name\": \"dying-rows\", \"everyMillis\": 10000, \"catchUp\": \"all\", \"paused\": true,"
                                + " \"overlap\": \"allow\", \"batch\": {\"capability\": \"dying.rows\"}}")
                .expectStatus(201)
                .json();
        String path = "/api/v1/schedules/" + schedule.path("id").asText();
        server.api()
                .send(server.api()
                        .request(path + "/rows")
                        .header("Content-Type", "text/csv")
                        .PUT(BodyPublishers.ofString("row\n1\n2\n")))
                .expectStatus(200);
        environment.failpoints().arm(Failpoint.FIRING, 1);
        String firstTime = server.api()
                .post(path + "/resume", "{}")
                .expectStatus(200)
                .json()
                .path("nextAt")
                .asText();
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        Await.until(
                "its time is handled",
                Duration.ofSeconds(120),
                () -> !server.api().get(path + "/batches").json().path("items").isEmpty());
        server.api().post(path + "/pause", "{\"reason\": \"enough\"}").expectStatus(200);
        JsonNode batches = server.api().get(path + "/batches").json().path("items");
        assertThat(batches.findValuesAsText("at")).doesNotHaveDuplicates().endsWith(firstTime);
        assertThat(batches)
                .as("each is whole")
                .allSatisfy(batch -> assertThat(batch.path("total").asInt()).isEqualTo(2));
        assertThat(server.api()
                        .get("/api/v1/batches?limit=100")
                        .json()
                        .path("items")
                        .findValuesAsText("capability"))
                .as("none is stored without its schedule")
                .filteredOn("dying.rows@1.0.0"::equals)
                .hasSize(batches.size());
        server.api().send(server.api().request(path).DELETE());
    }

    @Test
    void nextNodeReusesTheNestedExecutionOfADeadNode() {
        SallyportServer server = environment.server();
        String capabilities = "/api/v1/capabilities";
        server.api()
                .post(
                        capabilities,
                        "{\"name\": \"counts\", \"version\": \"1.0.0\", \"tools\": [\"demo.counter_increment\"],"
                                + " \"code\": \"return demo.counter_increment({ name: args.name })\"}")
                .expectStatus(201);
        String key = UUID.randomUUID().toString();
        String body = SubmissionBody.javascript("return capabilities.counts({ name: args });")
                .args("\"" + key + "\"")
                .json();
        environment.failpoints().arm(Failpoint.NESTED, 1);

        submit(server, body, key);
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        RestResponse repeated = server.api().send(server.api().submissionRequest(body, "Idempotency-Key", key));
        String id = repeated.json().path("id").asText();
        assertThat(describeOutcome(server.api().awaitEnd(id))).isEqualTo(COMPLETED_WITH_ONE);
        assertThat(server.api()
                        .get(RestClient.EXECUTIONS + "/" + id + "/children")
                        .json()
                        .path("items"))
                .hasSize(1);
    }

    @Test
    void nextNodeResumesExecutionsParkedForAnEventOfADeadNode() {
        SallyportServer server = environment.server();
        String name = UUID.randomUUID().toString();
        String waiting = server.api()
                .submit(SubmissionBody.javascript("return (await events.next(args)).data;")
                        .args("\"" + name + "\""));
        Await.until(
                "it is parked",
                Duration.ofSeconds(120),
                () -> server.api().getExecution(waiting).path("state").asText().equals("WAITING"));
        environment.failpoints().arm(Failpoint.EMITTED, 1);
        String body = SubmissionBody.javascript("await events.emit(args, 7); return 1;")
                .args("\"" + name + "\"")
                .json();

        submit(server, body, name);
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        assertThat(describeOutcome(server.api().awaitEnd(waiting))).isEqualTo("COMPLETED 7");
        RestResponse repeated = server.api().send(server.api().submissionRequest(body, "Idempotency-Key", name));
        assertThat(describeOutcome(
                        server.api().awaitEnd(repeated.json().path("id").asText())))
                .isEqualTo(COMPLETED_WITH_ONE);
    }

    @Test
    void nextNodeResumesExecutionsParkedForAnEventOfACallerThatGotNoAnswer() {
        SallyportServer server = environment.server();
        String name = UUID.randomUUID().toString();
        String waiting = server.api()
                .submit(SubmissionBody.javascript("return (await events.next(args)).data;")
                        .args("\"" + name + "\""));
        Await.until(
                "it is parked",
                Duration.ofSeconds(120),
                () -> server.api().getExecution(waiting).path("state").asText().equals("WAITING"));
        environment.failpoints().arm(Failpoint.EMITTED, 1);
        String body = "{\"name\": \"" + name + "\", \"payload\": 7}";

        CompletableFuture<RestResponse> lost = server.api().sendAsync(eventRequest(server, body, name));
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(lost).failsWithin(Duration.ofSeconds(60));
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        assertThat(describeOutcome(server.api().awaitEnd(waiting))).isEqualTo("COMPLETED 7");
        RestResponse repeated =
                server.api().send(eventRequest(server, body, name)).expectStatus(201);
        assertThat(repeated.header("Idempotent-Replayed")).isEqualTo("true");
    }

    private static HttpRequest.Builder eventRequest(SallyportServer server, String body, String key) {
        return server.api()
                .request("/api/v1/events")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(RestClient.body(body));
    }

    /** @param times how many callbacks the receiver gets in total */
    @ParameterizedTest
    @CsvSource({"CALLING_BACK, 1", "CALLED_BACK, 2"})
    void nextNodeDeliversTheCallbackOfADeadNode(Failpoint point, int times) throws IOException {
        SallyportServer server = environment.server();
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            heard.add(exchange.getRequestHeaders().getFirst("Sallyport-Delivery")
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
        try {
            server.api().post("/api/v1/callbacks/secret", "{}").expectStatus(201);
            environment.failpoints().arm(point, 1);
            String id = server.api()
                    .submit(SubmissionBody.javascript(READ_SCRIPT)
                            .with(
                                    "callback",
                                    "\"http://127.0.0.1:"
                                            + receiver.getAddress().getPort() + "/\""));
            Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
            assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);
            environment.failpoints().disarm();
            server.startProcess();
            server.awaitReady();

            Await.until(
                    "the receiver is told",
                    Duration.ofSeconds(120),
                    () -> server.api()
                            .getExecution(id)
                            .at("/callback/state")
                            .asText()
                            .equals("delivered"));
            assertThat(heard).hasSize(times);
            assertThat(Set.copyOf(heard)).hasSize(1);
            assertThat(heard.element()).startsWith(id);
        } finally {
            receiver.stop(0);
        }
    }

    @Test
    void nextNodeLearnsEachExecutionOfADeadNodeOnce() {
        SallyportServer server = environment.server();
        SubmissionBody twice = SubmissionBody.javascript("await demo.outbox(); await demo.outbox();");
        server.api().run(twice);
        Await.until(
                "what was before is learned",
                Duration.ofSeconds(120),
                () -> countLearnedCalls(server, "demo.outbox") == 2);
        environment.failpoints().arm(Failpoint.LEARNING, 1);
        // The node may die before it answers the last submission.
        submit(server, twice.json(), "learned-1");
        submit(server, twice.json(), "learned-2");
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.awaitExitCode(Duration.ZERO)).isEqualTo(137);
        environment.failpoints().disarm();
        server.startProcess();
        server.awaitReady();

        for (String key : List.of("learned-1", "learned-2")) {
            RestResponse repeated =
                    server.api().send(server.api().submissionRequest(twice.json(), "Idempotency-Key", key));
            server.api().awaitEnd(repeated.json().path("id").asText());
        }
        Await.until("both are learned", Duration.ofSeconds(120), () -> countLearnedCalls(server, "demo.outbox") >= 6);
        server.api().run(SubmissionBody.javascript("await demo.outbox();"));
        Await.until(
                "the next one is, too", Duration.ofSeconds(120), () -> countLearnedCalls(server, "demo.outbox") >= 7);
        assertThat(countLearnedCalls(server, "demo.outbox")).isEqualTo(7);
        assertThat(server.api()
                        .get("/api/v1/tool-graph?tool=demo.outbox")
                        .json()
                        .at("/edges/0/calls")
                        .asInt())
                .isEqualTo(3);
    }

    private static int countLearnedCalls(SallyportServer server, String tool) {
        return server.api()
                .get("/api/v1/tool-graph?tool=" + tool)
                .expectStatus(200)
                .json()
                .at("/nodes/0/calls")
                .asInt();
    }

    private static JsonNode runToEnd(SallyportServer server) {
        return server.api().run(SubmissionBody.javascript("console.log('printed'); " + READ_SCRIPT));
    }

    /** Ignores a failed request, because the node may die before it answers. */
    private static void submit(SallyportServer server, String body, String key) {
        RestClient api = server.api();
        ignoringDeath(
                server,
                () -> api.send(api.submissionRequest(body, "Idempotency-Key", key))
                        .expectStatus(202));
    }

    private static boolean hasFailed(SallyportServer server, String body, String key) {
        try {
            RestResponse repeated = server.api().send(server.api().submissionRequest(body, "Idempotency-Key", key));
            return repeated.status() < 300
                    && repeated.json().path("state").asText().equals("FAILED");
        } catch (AssertionError noAnswer) {
            return false; // the node starts or dies
        }
    }

    private static void ignoringDeath(SallyportServer server, Runnable request) {
        try {
            request.run();
        } catch (AssertionError noAnswer) {
            Await.until("the node that does not answer is dead", Duration.ofSeconds(120), () -> !server.isAlive());
        }
    }

    private static String describeOutcome(JsonNode execution) {
        String state = execution.path("state").asText();
        return state.equals("COMPLETED")
                ? state + " " + execution.path("result").asText()
                : state + " " + execution.path("error").path("code").asText();
    }
}
