package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
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
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** The node dies once at each point, with one script on it, and the next one on its data ends that script as it must. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailpointsIT {
    private static final String COUNTS = "return demo.counter_increment({ name: args });";
    /** Long enough that the answer is in the journal when the script ends. */
    private static final String COUNTS_AND_RESTS =
            "const n = await demo.counter_increment({ name: args }); await demo.slow({ millis: 600 }); return n;";

    private static final String PUTS = "await demo.kv_put({ key: args, value: 1 }); return demo.kv_get({ key: args });";
    private static final String READS = "return demo.add({ a: 1, b: 0 });";
    private static final String GOES_ON = "COMPLETED 1";
    private static final String UNKNOWN = "FAILED outcome-unknown";

    /** Each script but one loses its node once. */
    private static final int ATTEMPTS = 2;

    private final Installation installation = Installation.allowing(ATTEMPTS, Plan.asAsked());

    /**
     * @param calls how often the connector is given the script's first call, in both lives
     * @param count what the counter stands at in the end
     */
    record Row(Failpoint point, String script, String end, int calls, int count) {}

    static Stream<Row> rows() {
        return Plan.asAsked().isLong() ? Stream.concat(effects(), repeatable()) : effects();
    }

    private static Stream<Row> effects() {
        return Stream.of(
                new Row(Failpoint.ACCEPTED, COUNTS, GOES_ON, 1, 1),
                new Row(Failpoint.CLAIMED, COUNTS, GOES_ON, 1, 1),
                // From here to the stored answer nobody can know: that it may have left is all that the journal says.
                new Row(Failpoint.CALL_JOURNALED, COUNTS, UNKNOWN, 0, 0),
                new Row(Failpoint.CALL_MADE, COUNTS, UNKNOWN, 1, 1),
                new Row(Failpoint.REPLY_HEARD, COUNTS, UNKNOWN, 1, 1),
                new Row(Failpoint.ENDED, COUNTS_AND_RESTS, GOES_ON, 1, 1));
    }

    private static Stream<Row> repeatable() {
        return Stream.of(
                new Row(Failpoint.CALL_JOURNALED, PUTS, GOES_ON, 1, 0),
                new Row(Failpoint.CALL_MADE, PUTS, GOES_ON, 2, 0),
                new Row(Failpoint.REPLY_HEARD, READS, GOES_ON, 2, 0));
    }

    @BeforeAll
    void warmUp() {
        assertThat(installation
                        .server()
                        .api()
                        .run(Submission.javascript(READS))
                        .path("result")
                        .asInt())
                .isEqualTo(1);
    }

    @AfterAll
    void end() {
        installation.close();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theNodeDiesThereAndTheNextOneEndsTheScriptAsItMust(Row row) {
        SallyportServer server = installation.server();
        String key = UUID.randomUUID().toString();
        String body =
                Submission.javascript(row.script()).args("\"" + key + "\"").json();
        installation.armoury().arm(row.point(), 1);

        submit(server, body, key);
        Await.until("the node dies at " + row.point(), Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.exitCode(Duration.ZERO)).isEqualTo(137);
        installation.armoury().disarm();
        server.begin();
        server.awaitReady();

        Answer again = server.api().send(server.api().submission(body, "Idempotency-Key", key));
        String id = again.json().path("id").asText();
        JsonNode ended = server.api().awaitEnd(id);
        assertThat(told(ended)).as(ended.toString()).isEqualTo(row.end());
        assertThat(installation.armoury().calls().stream().filter(call -> call.startsWith(id + "/1 ")))
                .hasSize(row.calls());
        JsonNode ledger = server.api()
                .run(Submission.javascript("return demo.counter_ledger({ name: args });")
                        .args("\"" + key + "\""))
                .path("result");
        assertThat(ledger).hasSize(row.count());
        ledger.forEach(call -> assertThat(call.asText()).isEqualTo(id + "/1"));
        assertThat(List.of(server.api().execution(id))).containsExactly(ended);
    }

    @Test
    void aScriptWithWhichNodeAfterNodeDiesHasFailedAndMadeNoEffect() {
        SallyportServer server = installation.server();
        String key = UUID.randomUUID().toString();
        String body = Submission.javascript(COUNTS).args("\"" + key + "\"").json();
        installation.armoury().arm(Failpoint.CLAIMED, 1);
        submit(server, body, key);
        Await.until("the first node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.exitCode(Duration.ZERO)).isEqualTo(137);

        server.begin();
        assertThat(server.exitCode(Duration.ofMinutes(4)))
                .as("the second dies, too")
                .isEqualTo(137);
        installation.armoury().disarm();
        server.begin();
        server.awaitReady();

        Answer again = server.api().send(server.api().submission(body, "Idempotency-Key", key));
        String id = again.json().path("id").asText();
        JsonNode ended = server.api().awaitEnd(id);
        assertThat(told(ended)).as(ended.toString()).isEqualTo("FAILED runner-lost");
        assertThat(ended.path("attempt").asInt()).isEqualTo(ATTEMPTS);
        assertThat(installation.armoury().calls()).noneMatch(call -> call.startsWith(id));
        assertThat(server.api()
                        .run(Submission.javascript("return demo.counter_ledger({ name: args });")
                                .args("\"" + key + "\""))
                        .path("result"))
                .isEmpty();
    }

    @Test
    void theNodeDiesWhileItDeletesWhatIsOldAndTheNextOneGoesOn() {
        SallyportServer server = installation.server();
        List<JsonNode> kept =
                IntStream.range(0, 3).mapToObj(any -> ended(server)).toList();
        List<String> old = IntStream.range(0, 5)
                .mapToObj(any -> ended(server).path("id").asText())
                .toList();
        server.kill();
        installation.age(old, Duration.ofDays(31));
        Books before = installation.read();
        installation.armoury().arm(Failpoint.PURGING, 1);

        server.begin();
        assertThat(server.exitCode(Duration.ofMinutes(4))).isEqualTo(137);
        assertThat(installation.read()).isEqualTo(before);
        installation.armoury().disarm();
        server.begin();
        server.awaitReady();

        for (String id : old) {
            Await.until(
                    id + " is deleted",
                    Duration.ofSeconds(120),
                    () -> server.api().get(Api.EXECUTIONS + "/" + id).status() == 404);
        }
        kept.forEach(each ->
                assertThat(server.api().execution(each.path("id").asText())).isEqualTo(each));
    }

    @Test
    void theNodeDiesWhileAScheduleFiresAndTheNextOneSeesToThatTimeOnce() {
        SallyportServer server = installation.server();
        String all = "/api/v1/schedules";
        JsonNode schedule = server.api()
                .post(
                        all,
                        "{\"name\": \"dying\", \"everyMillis\": 10000, \"catchUp\": \"all\", \"run\": {\"code\": \"return 1\"}}")
                .expect(201)
                .json();
        String runs = all + "/" + schedule.path("id").asText() + "/executions";
        installation.armoury().arm(Failpoint.FIRING, 1);
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.exitCode(Duration.ZERO)).isEqualTo(137);
        installation.armoury().disarm();
        server.begin();
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
    void theNodeDiesAfterItNestedAnExecutionAndTheNextOneNestsNoOther() {
        SallyportServer server = installation.server();
        String capabilities = "/api/v1/capabilities";
        server.api()
                .post(
                        capabilities,
                        "{\"name\": \"counts\", \"version\": \"1.0.0\", \"tools\": [\"demo.counter_increment\"],"
                                + " \"code\": \"return demo.counter_increment({ name: args.name })\"}")
                .expect(201);
        String key = UUID.randomUUID().toString();
        String body = Submission.javascript("return capabilities.counts({ name: args });")
                .args("\"" + key + "\"")
                .json();
        installation.armoury().arm(Failpoint.NESTED, 1);

        submit(server, body, key);
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.exitCode(Duration.ZERO)).isEqualTo(137);
        installation.armoury().disarm();
        server.begin();
        server.awaitReady();

        Answer again = server.api().send(server.api().submission(body, "Idempotency-Key", key));
        String id = again.json().path("id").asText();
        assertThat(told(server.api().awaitEnd(id))).isEqualTo(GOES_ON);
        assertThat(server.api()
                        .get(Api.EXECUTIONS + "/" + id + "/children")
                        .json()
                        .path("items"))
                .hasSize(1);
    }

    @Test
    void theNodeDiesAfterAnEventAndTheNextOneWakesWhoIsParkedForIt() {
        SallyportServer server = installation.server();
        String name = UUID.randomUUID().toString();
        String waiting = server.api()
                .submit(Submission.javascript("return (await events.next(args)).data;")
                        .args("\"" + name + "\""));
        Await.until(
                "it is parked",
                Duration.ofSeconds(120),
                () -> server.api().execution(waiting).path("state").asText().equals("WAITING"));
        installation.armoury().arm(Failpoint.EMITTED, 1);
        String body = Submission.javascript("await events.emit(args, 7); return 1;")
                .args("\"" + name + "\"")
                .json();

        submit(server, body, name);
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.exitCode(Duration.ZERO)).isEqualTo(137);
        installation.armoury().disarm();
        server.begin();
        server.awaitReady();

        assertThat(told(server.api().awaitEnd(waiting))).isEqualTo("COMPLETED 7");
        Answer again = server.api().send(server.api().submission(body, "Idempotency-Key", name));
        assertThat(told(server.api().awaitEnd(again.json().path("id").asText())))
                .isEqualTo(GOES_ON);
    }

    /** @param times how often the receiver hears of it, in all */
    @ParameterizedTest
    @CsvSource({"CALLING_BACK, 1", "CALLED_BACK, 2"})
    void theNodeDiesBeforeOrAfterAReceiverHasHeardAndTheNextOneTellsIt(Failpoint point, int times) throws IOException {
        SallyportServer server = installation.server();
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
            server.api().post("/api/v1/callbacks/secret", "{}").expect(201);
            installation.armoury().arm(point, 1);
            String id = server.api()
                    .submit(Submission.javascript(READS)
                            .with(
                                    "callback",
                                    "\"http://127.0.0.1:"
                                            + receiver.getAddress().getPort() + "/\""));
            Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
            assertThat(server.exitCode(Duration.ZERO)).isEqualTo(137);
            installation.armoury().disarm();
            server.begin();
            server.awaitReady();

            Await.until(
                    "the receiver is told",
                    Duration.ofSeconds(120),
                    () -> server.api()
                            .execution(id)
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
    void theNodeDiesWhileItLearnsAndTheNextOneLearnsEachExecutionOnce() {
        SallyportServer server = installation.server();
        Submission twice = Submission.javascript("await demo.outbox(); await demo.outbox();");
        server.api().run(twice);
        Await.until("what was before is learned", Duration.ofSeconds(120), () -> calls(server, "demo.outbox") == 2);
        installation.armoury().arm(Failpoint.LEARNING, 1);
        // The node may die before it answers for the last one.
        submit(server, twice.json(), "learned-1");
        submit(server, twice.json(), "learned-2");
        Await.until("the node dies", Duration.ofSeconds(120), () -> !server.isAlive());
        assertThat(server.exitCode(Duration.ZERO)).isEqualTo(137);
        installation.armoury().disarm();
        server.begin();
        server.awaitReady();

        for (String key : List.of("learned-1", "learned-2")) {
            Answer again = server.api().send(server.api().submission(twice.json(), "Idempotency-Key", key));
            server.api().awaitEnd(again.json().path("id").asText());
        }
        Await.until("both are learned", Duration.ofSeconds(120), () -> calls(server, "demo.outbox") >= 6);
        server.api().run(Submission.javascript("await demo.outbox();"));
        Await.until("the next one is, too", Duration.ofSeconds(120), () -> calls(server, "demo.outbox") >= 7);
        assertThat(calls(server, "demo.outbox")).isEqualTo(7);
        assertThat(server.api()
                        .get("/api/v1/tool-graph?tool=demo.outbox")
                        .json()
                        .at("/edges/0/calls")
                        .asInt())
                .isEqualTo(3);
    }

    private static int calls(SallyportServer server, String tool) {
        return server.api()
                .get("/api/v1/tool-graph?tool=" + tool)
                .expect(200)
                .json()
                .at("/nodes/0/calls")
                .asInt();
    }

    private static JsonNode ended(SallyportServer server) {
        return server.api().run(Submission.javascript("console.log('printed'); " + READS));
    }

    /** The node may die before it answers. */
    private static void submit(SallyportServer server, String body, String key) {
        try {
            Api api = server.api();
            api.send(api.submission(body, "Idempotency-Key", key)).expect(202);
        } catch (AssertionError noAnswer) {
            Await.until("the node that does not answer is dead", Duration.ofSeconds(120), () -> !server.isAlive());
        }
    }

    private static String told(JsonNode execution) {
        String state = execution.path("state").asText();
        return state.equals("COMPLETED")
                ? state + " " + execution.path("result").asText()
                : state + " " + execution.path("error").path("code").asText();
    }
}
