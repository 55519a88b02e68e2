package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.ListeningSockets;
import org.sallyport.it.harness.NodeJsProcess;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.StompConnection;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.UseServer;
import org.sallyport.testsupport.TimingAssertions;

/**
 * External connectors in processes of their own: the Node.js example of the documentation over AMQP 1.0, hostile
 * connectors, and a connector that uses STOMP.
 */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
class ExternalConnectorIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String PASSWORD = "only for this one test";

    private final SallyportServer server;
    private final RestClient api;
    private final int port;
    private final List<String> addedBackends = new ArrayList<>();
    private final List<NodeJsProcess> programs = new ArrayList<>();

    ExternalConnectorIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
        this.port = Integer.parseInt(server.setting("sallyport.connectors.listen-address"));
    }

    @AfterEach
    void removeBackends() {
        programs.forEach(NodeJsProcess::close);
        addedBackends.forEach(
                name -> api.send(api.request(BACKENDS + "/" + name).DELETE()));
    }

    private void addBackend(String name, String more) {
        // On a busy machine a live connector may send nothing for some seconds.
        addBackend(name, 20_000, more);
    }

    private void addBackend(String name, int aliveMillis, String more) {
        addedBackends.add(name);
        api.post(
                        BACKENDS,
                        "{\"name\":\"" + name + "\",\"kind\":\"external\",\"settings\":{\"password\":\"" + PASSWORD
                                + "\",\"aliveMillis\":" + aliveMillis + more + "}}")
                .expectStatus(201);
    }

    private NodeJsProcess startExample(String name) {
        return startProgram(
                CheckoutPaths.root().resolve("examples/external-connector/connector.mjs"),
                Map.of("BACKEND", name, "PASSWORD", PASSWORD),
                "127.0.0.1:" + port);
    }

    /**
     * Starts a hostile connector and waits until its tools are registered. It sends invalid registrations first, which
     * are refused.
     */
    private NodeJsProcess startHostile(String name, Map<String, String> more) {
        Map<String, String> environment = new java.util.HashMap<>(more);
        environment.putAll(Map.of("BACKEND", name, "PASSWORD", PASSWORD, "PORT", Integer.toString(port)));
        NodeJsProcess program =
                startProgram(CheckoutPaths.root().resolve("it/src/test/connectors/hostile.mjs"), environment);
        awaitState(name, "ready");
        Await.until(
                "the tools of " + name,
                TIMEOUT,
                () -> api.get("/api/v1/tools?backend=" + name)
                        .expectStatus(200)
                        .json()
                        .path("items")
                        .toString()
                        .contains("\"" + name + ".never\""));
        return program;
    }

    private NodeJsProcess startProgram(Path program, Map<String, String> environment, String... arguments) {
        NodeJsProcess one = NodeJsProcess.start(program, environment, arguments);
        programs.add(one);
        return one;
    }

    private JsonNode awaitState(String name, String state) {
        JsonNode[] last = new JsonNode[1];
        try {
            return Await.untilPresent("backend " + name + " is " + state, TIMEOUT, () -> {
                last[0] = api.get(BACKENDS + "/" + name).expectStatus(200).json();
                return Optional.of(last[0])
                        .filter(b -> b.at("/status/state").asText().equals(state));
            });
        } catch (AssertionError e) {
            throw new AssertionError(
                    "last seen: " + last[0]
                            + programs.stream().map(NodeJsProcess::output).toList(),
                    e);
        }
    }

    /**
     * Waits for the counter, because the service counts a dropped message when it arrives, which may be after the reply
     * that the caller received.
     */
    private void awaitDropped(String name, int least) {
        Await.until(
                "messages of " + name + " are dropped",
                TIMEOUT,
                () -> awaitState(name, "ready").at("/calls/dropped").asInt() >= least);
    }

    private JsonNode runToResult(String script) {
        JsonNode execution = api.run(SubmissionBody.javascript(script).limit("wallMillis", 60_000));
        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        return execution.path("result");
    }

    private String failureCode(String call) {
        return failure(call).path(0).asText();
    }

    /** Error code and message of the call, or its result. */
    private JsonNode failure(String call) {
        return runToResult("try { return ['result: ' + JSON.stringify(await " + call
                + ")]; } catch (e) { return [e.code, e.message]; }");
    }

    @Test
    void scriptCallsAConnectorInAnotherLanguage() {
        addBackend("texts", "");
        assertThat(awaitState("texts", "down").at("/status/lastError").asText())
                .isEqualTo("no connector has registered");
        startExample("texts");
        awaitState("texts", "ready");

        assertThat(runToResult("""
                const [count, lines] = await Promise.all([
                  texts.count({ text: "one two  three ☃" }),
                  texts.append({ line: "first" }),
                ]);
                return [count.words, lines.lines, (await texts.append({ line: "second" })).lines];
                """).toString()).isEqualTo("[4,1,2]");
        assertThat(failureCode("texts.count({ text: 7 })")).isEqualTo("invalid-arguments");
        assertThat(api.get("/api/v1/tools?backend=texts")
                        .expectStatus(200)
                        .json()
                        .at("/items/0/name")
                        .asText())
                .startsWith("texts.");
        assertThat(api.get(BACKENDS + "/texts").json().toString()).doesNotContain(PASSWORD);
    }

    @Tag("slow")
    @Test
    void stompConnectorRegistersAnswersAndReceivesWithdrawals() throws IOException {
        addBackend("stomp", 60_000, "");
        String own = "sallyport.external.stomp.";
        try (StompConnection connector = connectStomp("stomp")) {
            connector.send(
                    "SUBSCRIBE", "id:1\ndestination:" + own + "commands\nsubscription-type:MULTICAST\nreceipt:s", "");
            connector.awaitFrame(frame -> frame.text().startsWith("RECEIPT"));
            connector.send("SUBSCRIBE", "id:0\ndestination:" + own + "calls\nack:client-individual", "");
            String status = "destination:" + own + "status\ndestination-type:MULTICAST";
            connector.send("SEND", status, """
                    {"v": 1, "register": {"instance": "one", "revision": "1", "tools": [{"name": "shout", \
                    "description": "Says it loudly.",
                      "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": \
                    ["text"]}}]}}
                    """);
            awaitState("stomp", "ready");

            String said = api.submit(SubmissionBody.javascript("return await stomp.shout({ text: 'hällo' })")
                    .limit("wallMillis", 60_000));
            StompConnection.StompFrame call = awaitCall(connector, said);
            JsonNode asked = TestJson.read(call.body());
            assertThat(asked.path("call").asText()).isEqualTo(said + "/1");
            assertThat(asked.path("tool").asText()).isEqualTo("shout");
            assertThat(asked.path("arguments").asText()).isEqualTo("{\"text\":\"hällo\"}");
            connector.send(
                    "SEND",
                    "destination:" + call.header("reply-to").replaceFirst("^queue://", "") + "\ncorrelation-id:"
                            + call.header("correlation-id"),
                    "{\"v\": 1, \"result\": \"\\\"HÄLLO\\\"\"}");
            connector.send("ACK", "id:" + call.header("ack"), "");
            assertThat(api.awaitEnd(said).path("result").asText()).isEqualTo("HÄLLO");

            connector.send("SEND", status, "{\"v\": 1, \"alive\": {\"instance\": \"one\", \"revision\": \"1\"}}");
            String cancelled = api.submit(SubmissionBody.javascript("await stomp.shout({ text: 'x' })")
                    .limit("wallMillis", 60_000));
            StompConnection.StompFrame open = awaitCall(connector, cancelled);
            assertThat(open.body()).contains(cancelled + "/1");
            api.cancel(cancelled).expectStatus(202);
            StompConnection.StompFrame command = connector.awaitFrame(frame ->
                    frame.header("subscription").equals("1") && frame.body().contains("withdraw"));
            assertThat(TestJson.read(command.body()).path("withdraw").asText()).isEqualTo(cancelled + "/1");

            connector.send("SEND", status, "{\"v\": 1, \"leave\": {\"instance\": \"one\"}}");
            assertThat(awaitState("stomp", "down").at("/status/lastError").asText())
                    .isEqualTo("its connector has left");
        }
    }

    /** The service takes the calls back, so that it knows that no connector has them. */
    @Tag("slow")
    @Test
    void callThatNoConnectorTakesTimesOutAndIsNeverMade() throws IOException {
        addBackend("idle", 60_000, ",\"timeoutMillis\":1000");
        String own = "sallyport.external.idle.";
        try (StompConnection connector = connectStomp("idle")) {
            connector.send(
                    "SUBSCRIBE", "id:1\ndestination:" + own + "commands\nsubscription-type:MULTICAST\nreceipt:s", "");
            connector.awaitFrame(frame -> frame.text().startsWith("RECEIPT"));
            connector.send("SEND", "destination:" + own + "status\ndestination-type:MULTICAST", """
                    {"v": 1, "register": {"instance": "one", "revision": "1", "tools": [{"name": "pay"}]}}
                    """);
            awaitState("idle", "ready");

            assertThat(runToResult("""
                    return await Promise.all([1, 2, 3].map((n) =>
                      idle.pay({ n }).then(() => 'made', (e) => `${e.code} ${e.retryable}`)));
                    """).toString()).isEqualTo("[\"timeout true\",\"timeout true\",\"timeout true\"]");

            connector.send("SUBSCRIBE", "id:0\ndestination:" + own + "calls\nack:client-individual", "");
            String next = api.submit(SubmissionBody.javascript("await idle.pay({ n: 4 }).catch(() => null)")
                    .limit("wallMillis", 60_000));
            assertThat(awaitCall(connector, next).body()).contains(next + "/1");
            assertThat(api.awaitEnd(next).path("state").asText()).isEqualTo("COMPLETED");
        }
    }

    /**
     * Returns the next call that the connector receives. Throws {@link AssertionError} with the execution and its trace
     * if the connector receives none.
     */
    private StompConnection.StompFrame awaitCall(StompConnection connector, String execution) {
        try {
            return connector.awaitFrame(frame -> frame.header("subscription").equals("0"));
        } catch (IOException e) {
            throw new AssertionError("no call came of " + api.getExecution(execution) + api.getTrace(execution), e);
        }
    }

    /** Retries, because the broker knows an account only some time after its backend was added. */
    private StompConnection connectStomp(String user) {
        return Await.untilPresent(user + " may connect", TIMEOUT, () -> {
            try {
                return Optional.of(StompConnection.connect(port, user, PASSWORD, TIMEOUT));
            } catch (IOException | AssertionError refused) {
                return Optional.empty();
            }
        });
    }

    @Test
    void killedConnectorLosesOnlyItsPendingCall() {
        addBackend("killed", 3_000, "");
        NodeJsProcess first = startExample("killed");
        awaitState("killed", "ready");
        String open = api.submit(SubmissionBody.javascript("""
                try { await killed.wait({ millis: 50000 }); } catch (e) { return e.code + ": " + e.message; }
                """).limit("wallMillis", 60_000));
        first.awaitOutput(open + "/1 wait");
        long begun = System.nanoTime();
        first.kill();

        assertThat(api.awaitEnd(open).path("result").asText())
                .isEqualTo("outcome-unknown: 'wait' was sent to a connector that went away before it answered");
        TimingAssertions.assertAtMostSince(begun, Duration.ofSeconds(40));
        assertThat(awaitState("killed", "down").at("/status/lastError").asText())
                .contains("has sent no heartbeat for 3000 ms");
        assertThat(failureCode("killed.count({ text: 'x' })")).isEqualTo("backend-unavailable");
        assertThat(runToResult("return await demo.add({ a: 40, b: 2 })").asInt())
                .isEqualTo(42);

        NodeJsProcess second = startExample("killed");
        awaitState("killed", "ready");
        assertThat(runToResult("return (await killed.count({ text: 'a b' })).words")
                        .asInt())
                .isEqualTo(2);
        assertThat(second.output()).doesNotContain(open);

        second.stop();
        assertThat(second.awaitExit()).contains("connected");
        assertThat(awaitState("killed", "down").at("/status/lastError").asText())
                .isIn("its connector has left", "its connector has sent no heartbeat for 3000 ms");
    }

    @Tag("slow")
    @Test
    void cancelledOrTimedOutCallIsWithdrawn() {
        addBackend("withdrawn", ",\"timeoutMillis\":5000");
        NodeJsProcess connector = startExample("withdrawn");
        awaitState("withdrawn", "ready");
        String cancelled = api.submit(SubmissionBody.javascript("await withdrawn.wait({ millis: 50000 });")
                .limit("wallMillis", 60_000));
        connector.awaitOutput(cancelled + "/1 wait");
        api.cancel(cancelled).expectStatus(202);
        connector.awaitOutput(cancelled + "/1 withdrawn");

        // Its hints are not trusted, so that the call may have had an effect.
        assertThat(failureCode("withdrawn.wait({ millis: 50000 })")).isEqualTo("outcome-unknown");
        connector.awaitOutput("/1 withdrawn");
        assertThat(failureCode("withdrawn.wait({ millis: 1 })")).isEqualTo("result: {\"waited\":1}");
    }

    @Tag("slow")
    @Test
    void connectorAccountReachesOnlyItsOwnAddresses() {
        addBackend("own", "");
        NodeJsProcess connector = startHostile("own", Map.of());
        assertThat(failureCode("own.forge({})")).isEqualTo("result: \"done\"");
        String answers = callHeader(connector, "forge", 3);
        assertThat(ListeningSockets.findByProcess(server.pid()))
                .containsExactlyInAnyOrder("127.0.0.1:" + server.url().getPort(), "127.0.0.1:" + port);

        String said = startProgram(
                        CheckoutPaths.root().resolve("it/src/test/connectors/stranger.mjs"),
                        Map.of(
                                "PORT",
                                Integer.toString(port),
                                "BACKEND",
                                "own",
                                "PASSWORD",
                                PASSWORD,
                                "OTHER",
                                "missing",
                                "ANSWERS",
                                answers,
                                "INCARNATION",
                                nodeIncarnation()))
                .awaitExit();

        assertThat(said).contains("done");
        assertThat(said.lines().filter(line -> line.endsWith(": let in")))
                .containsExactly(
                        "receive sallyport.external.own.calls: let in",
                        "receive sallyport.external.own.commands: let in",
                        "send " + answers + ": let in",
                        "send sallyport.external.own.status: let in");
        assertThat(said).doesNotContain("no answer");
        assertThat(runToResult("return await demo.add({ a: 40, b: 2 })").asInt())
                .isEqualTo(42);
    }

    /** A header of a call to this tool, as the hostile connector prints it. */
    private static String callHeader(NodeJsProcess connector, String tool, int column) {
        return connector
                .output()
                .lines()
                .filter(line -> line.startsWith("call " + tool + " "))
                .map(line -> line.split(" ", -1)[column])
                .findFirst()
                .orElseThrow();
    }

    private String nodeIncarnation() {
        return org.sallyport.it.harness.ProcessInspector.jcmd(server.pid(), "VM.system_properties")
                .lines()
                .filter(line -> line.startsWith("sallyport.node.incarnation="))
                .map(line -> line.substring(line.indexOf('=') + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "twice        | result: \"first\"",
                "garbage      | outcome-unknown",
                "noJson       | outcome-unknown",
                "otherVersion | outcome-unknown",
                "nothing      | outcome-unknown",
                "binary       | outcome-unknown",
                "map          | outcome-unknown",
                "list         | outcome-unknown",
                "bytes        | result: \"as bytes\"",
                "deep         | outcome-unknown",
                "duplicate    | outcome-unknown",
                "code         | tool-failed",
                "unknown      | result: \"after strangers\"",
            })
    void invalidReplyAffectsOnlyItsOwnCall(String tool, String expected) {
        addBackend("hostile", ",\"timeoutMillis\":8000");
        startHostile("hostile", Map.of());

        JsonNode failure = failure("hostile." + tool + "({})");
        assertThat(failure.path(0).asText()).as(failure.toString()).isEqualTo(expected);
        assertThat(runToResult("return await demo.add({ a: 40, b: 2 })").asInt())
                .isEqualTo(42);
        awaitDropped("hostile", 1);
    }

    @Tag("slow")
    @Test
    void brokerRefusesOversizedMessagesAndDelaysAFlood() {
        addBackend("hostile", ",\"timeoutMillis\":90000,\"breakerFailures\":100");
        NodeJsProcess connector = startHostile("hostile", Map.of());
        String flooded = api.submit(
                SubmissionBody.javascript("return await hostile.flood({})").limit("wallMillis", 120_000));
        for (int i = 0; i < 5; i++) {
            assertThat(runToResult("return await demo.add({ a: 40, b: 2 })").asInt())
                    .isEqualTo(42);
        }
        JsonNode ended = api.awaitEnd(flooded);
        assertThat(ended.path("result").asText()).as(ended + connector.output()).isEqualTo("after the flood");
        awaitDropped("hostile", 1_000);
        assertThat(server.logText().lines().filter(line -> line.contains("dropped a message of its connector")))
                .hasSizeLessThan(40);
        assertThat(failureCode("hostile.large({})")).startsWith("result: \"yyy");
        String refused = api.submit(
                SubmissionBody.javascript("return await hostile.huge({})").limit("wallMillis", 120_000));
        connector.awaitOutput("rejected");
        api.cancel(refused);
        assertThat(server.isAlive()).isTrue();
    }

    @Tag("slow")
    @Test
    void connectorCannotAnswerCallsOfAnotherBackend() {
        addBackend("victim", "");
        addBackend("forger", "");
        NodeJsProcess victim = startHostile("victim", Map.of());
        String open = api.submit(
                SubmissionBody.javascript("return await victim.never({})").limit("wallMillis", 30_000));
        victim.awaitOutput("call never ");
        String correlation = callHeader(victim, "never", 2);
        startHostile("forger", Map.of("FORGE", correlation));

        assertThat(failureCode("forger.forge({})")).isEqualTo("result: \"done\"");
        awaitDropped("forger", 1);
        assertThat(api.getExecution(open).path("state").asText()).isEqualTo("RUNNING");
        api.cancel(open);
    }
}
