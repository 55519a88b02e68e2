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
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.NodeProgram;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Sockets;
import org.sallyport.it.harness.Stomp;
import org.sallyport.it.harness.Submission;
import org.sallyport.testsupport.Timing;

/** Connectors that are processes of others, for Node.js over AMQP 1.0: the example of the documentation, and hostile ones; one that speaks STOMP. */
@Server(Profile.RICH)
@ExtendWith(Servers.class)
class ExternalConnectorIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String PASSWORD = "only for this one test";

    private final SallyportServer server;
    private final Api api;
    private final int port;
    private final List<String> added = new ArrayList<>();
    private final List<NodeProgram> started = new ArrayList<>();

    ExternalConnectorIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
        this.port = Integer.parseInt(server.setting("sallyport.connectors.address"));
    }

    @AfterEach
    void remove() {
        started.forEach(NodeProgram::close);
        added.forEach(name -> api.send(api.request(BACKENDS + "/" + name).DELETE()));
    }

    private void add(String name, String more) {
        // A busy machine may keep a connector that lives silent for some seconds.
        add(name, 20_000, more);
    }

    private void add(String name, int aliveMillis, String more) {
        added.add(name);
        api.post(
                        BACKENDS,
                        "{\"name\":\"" + name + "\",\"kind\":\"external\",\"settings\":{\"password\":\"" + PASSWORD
                                + "\",\"aliveMillis\":" + aliveMillis + more + "}}")
                .expect(201);
    }

    private NodeProgram example(String name) {
        return run(
                Checkout.home().resolve("examples/external-connector/connector.mjs"),
                Map.of("BACKEND", name, "PASSWORD", PASSWORD),
                "127.0.0.1:" + port);
    }

    /**
     * Up with its tools: one of its bad registrations, with a schema that only a call shows to be unusable, counts until the next
     * and makes the backend ready without them.
     */
    private NodeProgram hostile(String name, Map<String, String> more) {
        Map<String, String> environment = new java.util.HashMap<>(more);
        environment.putAll(Map.of("BACKEND", name, "PASSWORD", PASSWORD, "PORT", Integer.toString(port)));
        NodeProgram program = run(Checkout.home().resolve("it/src/test/connectors/hostile.mjs"), environment);
        awaitState(name, "ready");
        Await.until(
                "the tools of " + name,
                PATIENCE,
                () -> api.get("/api/v1/tools?backend=" + name)
                        .expect(200)
                        .json()
                        .path("items")
                        .toString()
                        .contains("\"" + name + ".never\""));
        return program;
    }

    private NodeProgram run(Path program, Map<String, String> environment, String... arguments) {
        NodeProgram one = NodeProgram.start(program, environment, arguments);
        started.add(one);
        return one;
    }

    private JsonNode awaitState(String name, String state) {
        JsonNode[] last = new JsonNode[1];
        try {
            return Await.value("backend " + name + " is " + state, PATIENCE, () -> {
                last[0] = api.get(BACKENDS + "/" + name).expect(200).json();
                return Optional.of(last[0])
                        .filter(b -> b.at("/status/state").asText().equals(state));
            });
        } catch (AssertionError e) {
            throw new AssertionError(
                    "last seen: " + last[0]
                            + started.stream().map(NodeProgram::printed).toList(),
                    e);
        }
    }

    /** What was dropped is counted when it comes, which may be after the answer that counted. */
    private void awaitDropped(String name, int least) {
        Await.until(
                "messages of " + name + " are dropped",
                PATIENCE,
                () -> awaitState(name, "ready").at("/calls/dropped").asInt() >= least);
    }

    private JsonNode result(String script) {
        JsonNode execution = api.run(Submission.javascript(script).limit("wallMillis", 60_000));
        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        return execution.path("result");
    }

    private String code(String call) {
        return failure(call).path(0).asText();
    }

    /** The code and what was said, or the result. */
    private JsonNode failure(String call) {
        return result("try { return ['result: ' + JSON.stringify(await " + call
                + ")]; } catch (e) { return [e.code, e.message]; }");
    }

    @Test
    void aScriptCallsAConnectorOfAnotherLanguage() {
        add("texts", "");
        assertThat(awaitState("texts", "down").at("/status/lastError").asText())
                .isEqualTo("no connector has registered");
        example("texts");
        awaitState("texts", "ready");

        assertThat(result("""
                const [count, lines] = await Promise.all([
                  texts.count({ text: "one two  three ☃" }),
                  texts.append({ line: "first" }),
                ]);
                return [count.words, lines.lines, (await texts.append({ line: "second" })).lines];
                """).toString()).isEqualTo("[4,1,2]");
        assertThat(code("texts.count({ text: 7 })")).isEqualTo("invalid-arguments");
        assertThat(api.get("/api/v1/tools?backend=texts")
                        .expect(200)
                        .json()
                        .at("/items/0/name")
                        .asText())
                .startsWith("texts.");
        assertThat(api.get(BACKENDS + "/texts").json().toString()).doesNotContain(PASSWORD);
    }

    @Tag("slow")
    @Test
    void aConnectorThatSpeaksStompRegistersAnswersAndHearsOfWithdrawals() throws IOException {
        add("stomp", 60_000, "");
        String own = "sallyport.external.stomp.";
        try (Stomp connector = welcome("stomp")) {
            connector.send(
                    "SUBSCRIBE", "id:1\ndestination:" + own + "orders\nsubscription-type:MULTICAST\nreceipt:s", "");
            connector.await(frame -> frame.text().startsWith("RECEIPT"));
            connector.send("SUBSCRIBE", "id:0\ndestination:" + own + "calls\nack:client-individual", "");
            String news = "destination:" + own + "registrations\ndestination-type:MULTICAST";
            connector.send("SEND", news, """
                    {"v": 1, "register": {"instance": "one", "revision": "1", "tools": [{"name": "shout", "description": "Says it loudly.",
                      "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}]}}
                    """);
            awaitState("stomp", "ready");

            String said = api.submit(Submission.javascript("return await stomp.shout({ text: 'hällo' })")
                    .limit("wallMillis", 60_000));
            Stomp.Frame call = call(connector, said);
            JsonNode asked = Json.read(call.body());
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

            connector.send("SEND", news, "{\"v\": 1, \"alive\": {\"instance\": \"one\", \"revision\": \"1\"}}");
            String cancelled = api.submit(
                    Submission.javascript("await stomp.shout({ text: 'x' })").limit("wallMillis", 60_000));
            Stomp.Frame open = call(connector, cancelled);
            assertThat(open.body()).contains(cancelled + "/1");
            api.cancel(cancelled).expect(202);
            Stomp.Frame order = connector.await(frame ->
                    frame.header("subscription").equals("1") && frame.body().contains("withdraw"));
            assertThat(Json.read(order.body()).path("withdraw").asText()).isEqualTo(cancelled + "/1");

            connector.send("SEND", news, "{\"v\": 1, \"leave\": {\"instance\": \"one\"}}");
            assertThat(awaitState("stomp", "down").at("/status/lastError").asText())
                    .isEqualTo("its connector has left");
        }
    }

    /** The next call that the connector gets; {@link AssertionError} with the execution and its trace if it gets none. */
    private Stomp.Frame call(Stomp connector, String execution) {
        try {
            return connector.await(frame -> frame.header("subscription").equals("0"));
        } catch (IOException e) {
            throw new AssertionError("no call came of " + api.execution(execution) + api.trace(execution), e);
        }
    }

    /** The broker knows an account a moment after its backend was added. */
    private Stomp welcome(String user) {
        return Await.value(user + " may connect", PATIENCE, () -> {
            try {
                return Optional.of(Stomp.connect(port, user, PASSWORD, PATIENCE));
            } catch (IOException | AssertionError refused) {
                return Optional.empty();
            }
        });
    }

    @Test
    void aConnectorThatIsKilledLosesItsOpenCallAndNothingElse() {
        add("killed", 3_000, "");
        NodeProgram first = example("killed");
        awaitState("killed", "ready");
        String open = api.submit(Submission.javascript("""
                try { await killed.wait({ millis: 50000 }); } catch (e) { return e.code + ": " + e.message; }
                """).limit("wallMillis", 60_000));
        first.awaitPrinted(open + "/1 wait");
        long begun = System.nanoTime();
        first.kill();

        assertThat(api.awaitEnd(open).path("result").asText())
                .isEqualTo("outcome-unknown: 'wait' was with a connector that went away before it answered");
        Timing.assertAtMostSince(begun, Duration.ofSeconds(40));
        assertThat(awaitState("killed", "down").at("/status/lastError").asText())
                .contains("has not been heard of for 3000 ms");
        assertThat(code("killed.count({ text: 'x' })")).isEqualTo("backend-unavailable");
        assertThat(result("return await demo.add({ a: 40, b: 2 })").asInt()).isEqualTo(42);

        NodeProgram second = example("killed");
        awaitState("killed", "ready");
        assertThat(result("return (await killed.count({ text: 'a b' })).words").asInt())
                .isEqualTo(2);
        assertThat(second.printed()).doesNotContain(open);

        second.stop();
        assertThat(second.ended()).contains("connected");
        assertThat(awaitState("killed", "down").at("/status/lastError").asText())
                .isIn("its connector has left", "its connector has not been heard of for 3000 ms");
    }

    @Tag("slow")
    @Test
    void aCallThatNobodyWaitsForIsWithdrawn() {
        add("withdrawn", ",\"timeoutMillis\":5000");
        NodeProgram connector = example("withdrawn");
        awaitState("withdrawn", "ready");
        String cancelled = api.submit(Submission.javascript("await withdrawn.wait({ millis: 50000 });")
                .limit("wallMillis", 60_000));
        connector.awaitPrinted(cancelled + "/1 wait");
        api.cancel(cancelled).expect(202);
        connector.awaitPrinted(cancelled + "/1 withdrawn");

        assertThat(code("withdrawn.wait({ millis: 50000 })")).isEqualTo("timeout");
        connector.awaitPrinted("/1 withdrawn");
        assertThat(code("withdrawn.wait({ millis: 1 })")).isEqualTo("result: {\"waited\":1}");
    }

    @Tag("slow")
    @Test
    void whoHasAnAccountReachesWhatIsItsOwnAndNothingElse() {
        add("own", "");
        NodeProgram connector = hostile("own", Map.of());
        assertThat(code("own.forge({})")).isEqualTo("result: \"done\"");
        String answers = header(connector, "forge", 3);
        assertThat(Sockets.listening(server.pid()))
                .containsExactlyInAnyOrder("127.0.0.1:" + server.url().getPort(), "127.0.0.1:" + port);

        String said = run(
                        Checkout.home().resolve("it/src/test/connectors/stranger.mjs"),
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
                                "LIFE",
                                life()))
                .ended();

        assertThat(said).contains("done");
        assertThat(said.lines().filter(line -> line.endsWith(": let in")))
                .containsExactly(
                        "receive sallyport.external.own.calls: let in",
                        "receive sallyport.external.own.orders: let in",
                        "send " + answers + ": let in",
                        "send sallyport.external.own.registrations: let in");
        assertThat(said).doesNotContain("no answer");
        assertThat(result("return await demo.add({ a: 40, b: 2 })").asInt()).isEqualTo(42);
    }

    /** What the hostile connector prints of the headers of a call. */
    private static String header(NodeProgram connector, String tool, int column) {
        return connector
                .printed()
                .lines()
                .filter(line -> line.startsWith("call " + tool + " "))
                .map(line -> line.split(" ", -1)[column])
                .findFirst()
                .orElseThrow();
    }

    private String life() {
        return org.sallyport.it.harness.Processes.jcmd(server.pid(), "VM.system_properties")
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
                "list         | timeout",
                "bytes        | result: \"as bytes\"",
                "deep         | outcome-unknown",
                "duplicate    | outcome-unknown",
                "code         | tool-failed",
                "unknown      | result: \"after strangers\"",
            })
    void anAnswerThatIsNoneHarmsItsCallAlone(String tool, String expected) {
        add("hostile", ",\"timeoutMillis\":8000");
        hostile("hostile", Map.of());

        JsonNode failure = failure("hostile." + tool + "({})");
        assertThat(failure.path(0).asText()).as(failure.toString()).isEqualTo(expected);
        assertThat(result("return await demo.add({ a: 40, b: 2 })").asInt()).isEqualTo(42);
        awaitDropped("hostile", 1);
    }

    @Tag("slow")
    @Test
    void whatIsTooLargeIsRefusedByTheBrokerAndAFloodWaits() {
        add("hostile", ",\"timeoutMillis\":90000,\"breakerFailures\":100");
        NodeProgram connector = hostile("hostile", Map.of());
        String flooded = api.submit(
                Submission.javascript("return await hostile.flood({})").limit("wallMillis", 120_000));
        for (int i = 0; i < 5; i++) {
            assertThat(result("return await demo.add({ a: 40, b: 2 })").asInt()).isEqualTo(42);
        }
        JsonNode ended = api.awaitEnd(flooded);
        assertThat(ended.path("result").asText())
                .as(ended + connector.printed())
                .isEqualTo("after the flood");
        awaitDropped("hostile", 3_000);
        assertThat(server.logText().lines().filter(line -> line.contains("dropped a message of its connector")))
                .hasSizeLessThan(40);
        assertThat(code("hostile.large({})")).startsWith("result: \"yyy");
        String refused = api.submit(
                Submission.javascript("return await hostile.huge({})").limit("wallMillis", 120_000));
        connector.awaitPrinted("rejected");
        api.cancel(refused);
        assertThat(server.isAlive()).isTrue();
    }

    @Tag("slow")
    @Test
    void anotherBackendsCallCannotBeAnswered() {
        add("victim", "");
        add("forger", "");
        NodeProgram victim = hostile("victim", Map.of());
        String open = api.submit(
                Submission.javascript("return await victim.never({})").limit("wallMillis", 30_000));
        victim.awaitPrinted("call never ");
        String correlation = header(victim, "never", 2);
        hostile("forger", Map.of("FORGE", correlation));

        assertThat(code("forger.forge({})")).isEqualTo("result: \"done\"");
        awaitDropped("forger", 1);
        assertThat(api.execution(open).path("state").asText()).isEqualTo("RUNNING");
        api.cancel(open);
    }
}
