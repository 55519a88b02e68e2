package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.NodeJsPackages;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TimingCalibration;
import org.sallyport.testsupport.TestPrerequisite;

/**
 * Backends are added, called, broken and removed while the service runs. The servers behind them are third-party
 * programs.
 */
@ExtendWith(ServerExtension.class)
class BackendsIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);
    /** Largest allowed factor between the latency with a hanging backend beside and the latency without. */
    private static final double MAX_SLOWDOWN = 3;

    private static final double NEGLIGIBLE_MILLIS = 50;

    private final RestClient api;
    private final OpenApiResponseValidator description;
    private final List<String> addedBackends = new ArrayList<>();

    BackendsIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    @AfterEach
    void removeBackends() {
        addedBackends.forEach(
                name -> api.send(api.request(BACKENDS + "/" + name).DELETE()));
    }

    private JsonNode add(String name, String settings) {
        addedBackends.add(name);
        RestResponse answer =
                api.post(BACKENDS, "{\"name\":\"" + name + "\",\"kind\":\"mcp-stdio\",\"settings\":" + settings + "}");
        assertDescribed("POST", BACKENDS, 201, answer);
        assertThat(answer.header("Location")).endsWith(BACKENDS + "/" + name);
        return answer.json();
    }

    private void assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
    }

    private JsonNode awaitReady(String name) {
        return awaitState(api, name, "ready");
    }

    private static JsonNode awaitState(RestClient api, String name, String state) {
        JsonNode[] last = new JsonNode[1];
        try {
            return Await.untilPresent("backend " + name + " is " + state, START_TIMEOUT, () -> {
                last[0] = api.get(BACKENDS + "/" + name).expectStatus(200).json();
                return Optional.of(last[0])
                        .filter(b -> b.at("/status/state").asText().equals(state));
            });
        } catch (AssertionError e) {
            throw new AssertionError("last seen: " + last[0], e);
        }
    }

    private JsonNode run(String script) {
        JsonNode execution = api.run(SubmissionBody.javascript(script).limit("wallMillis", 60_000));
        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        return execution.path("result");
    }

    /** An MCP server whose tools are in a file. Each tool answers with the name that the call has. */
    private static final String NAMES_SERVER = """
            import fs from 'node:fs';
            import readline from 'node:readline';
            const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
            const answer = (id, result) => send({ jsonrpc: '2.0', id, result });
            readline.createInterface({ input: process.stdin }).on('line', (line) => {
              const { id, method, params } = JSON.parse(line);
              if (method === 'initialize') {
                const serverInfo = { name: 'names', version: '1' };
                answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
              } else if (method === 'tools/list') {
                answer(id, { tools: JSON.parse(fs.readFileSync(process.argv[2], 'utf8')) });
              } else if (method === 'tools/call') {
                answer(id, { content: [{ type: 'text', text: 'called ' + params.name }] });
              } else if (id !== undefined) {
                answer(id, {});
              }
            });
            """;

    private static void writeTools(Path file, String... names) throws IOException {
        ArrayNode tools = TestJson.object().putArray("tools");
        for (String name : names) {
            tools.addObject().put("name", name).putObject("inputSchema").put("type", "object");
        }
        tools.addObject()
                .put("name", "too-new")
                .putObject("inputSchema")
                .put("$schema", "https://json-schema.example/draft/2099");
        Files.writeString(file, tools.toString());
    }

    /** Returns name and path of each tool that can be called, by its name on the server. */
    private Map<String, String> toolNames() {
        Map<String, String> names = new TreeMap<>();
        for (JsonNode tool : api.get(BACKENDS + "/names").json().path("tools")) {
            if (!tool.has("unusable")) {
                names.put(
                        tool.path("original").asText(),
                        tool.path("name").asText() + " " + tool.path("path").asText());
            }
        }
        return names;
    }

    private int availableTools() {
        int count = 0;
        for (JsonNode tool : api.get(BACKENDS + "/names").json().path("tools")) {
            count += tool.path("available").asBoolean() ? 1 : 0;
        }
        return count;
    }

    /** Calls each tool by identifier, name and original name, in brackets and as JSON. */
    private void assertEachNameCallsItsTool(Map<String, String> names) {
        ObjectNode args = TestJson.object();
        names.forEach((original, both) -> args.withArray("tools")
                .addArray()
                .add(original)
                .add(both.substring("names.".length(), both.indexOf(' ')))
                .add(both.substring(both.lastIndexOf('.') + 1)));
        JsonNode wrong =
                api.run(SubmissionBody.javascript("""
                const owned = new Map();
                for (const [original, name, id] of args.tools) owned.set(name, original).set(id, original);
                for (const [original] of args.tools) if (!owned.has(original)) owned.set(original, original);
                const wrong = [];
                for (const [text, original] of owned) {
                  const answer = await tools.names[text]({});
                  if (answer !== 'called ' + original) wrong.push(text + ': ' + answer);
                }
                for (const [original, name, id] of args.tools) {
                  if (__interfaces.names[id].tool !== name) wrong.push('__interfaces: ' + id);
                  const declared = /names: \\{\\n    "?([^"(]*)"?\\(/.exec(describeTool('names.' + name))?.[1];
                  if (declared !== id) wrong.push('declaration: ' + declared);
                }
                return wrong;
                """).args(args.toString()).limit("wallMillis", 60_000));
        assertThat(wrong.path("result").toString()).as(wrong.toString()).isEqualTo("[]");
        names.forEach((original, both) -> {
            String id = both.substring(both.lastIndexOf('.') + 1);
            for (String code : List.of(
                    "{\"tool\": " + TestJson.object().put("t", "names." + id).path("t") + "}",
                    "return await names[" + TestJson.object().put("t", id).path("t") + "]({})")) {
                assertThat(run(code).asText()).as(code).isEqualTo("called " + original);
                JsonNode verdict = api.post(
                                "/api/v1/validate",
                                SubmissionBody.javascript(code).json())
                        .expectStatus(200)
                        .json();
                assertThat(verdict.at("/tools/0/name").asText())
                        .as(code)
                        .isEqualTo(both.substring(0, both.indexOf(' ')));
            }
        });
    }

    @Test
    void eachNameCallsItsToolAndStaysWhenToolsAreAdded() throws IOException {
        TestPrerequisite.require(TestPrerequisite.hasProgram("node"), "Node.js (an MCP server runs on it)");
        Path directory = ServerSetup.temporaryDirectory().toRealPath();
        Path server = Files.writeString(directory.resolve("names.mjs"), NAMES_SERVER);
        Path list = directory.resolve("tools.json");
        String[] first = {"get-user", "get user", "ns:tool", "größe", "grüße", "delete", "__proto__", "toString", "😀"};
        writeTools(list, first);
        ObjectNode settings = TestJson.object().put("command", "node");
        settings.putArray("args").add(server.toString()).add(list.toString());
        add("names", settings.toString());
        awaitReady("names");
        Map<String, String> before = toolNames();
        assertThat(before).containsOnlyKeys(first);
        assertEachNameCallsItsTool(before);

        writeTools(
                list,
                Stream.concat(Stream.of("get_user", "get+user", "a first one", "toString_"), Stream.of(first))
                        .toArray(String[]::new));
        api.post(BACKENDS + "/names/restart", "").expectStatus(202);
        Await.until("the new tools are there", START_TIMEOUT, () -> toolNames().size() == first.length + 4);
        awaitReady("names");
        assertThat(toolNames()).containsAllEntriesOf(before);
        assertEachNameCallsItsTool(toolNames());

        // The server drops some tools: their names call no other tool.
        Map<String, String> all = toolNames();
        writeTools(list, "get_user", "grüße", "toString_");
        api.post(BACKENDS + "/names/restart", "").expectStatus(202);
        Await.until("the tools are gone", START_TIMEOUT, () -> availableTools() == 4);
        awaitReady("names");
        assertThat(toolNames()).isEqualTo(all);
        assertThat(run("""
                const answers = [];
                for (const text of ['get_user', 'get-user', 'get user', 'get_user_2', 'größe']) {
                  answers.push(await tools.names[text]({}).catch((e) => e.code));
                }
                return answers;
                """)).isEqualTo(TestJson.read("""
                ["tool-not-found", "tool-not-found", "tool-not-found", "tool-not-found", "tool-not-found"]
                """));
        String later = Objects.requireNonNull(all.get("get_user"));
        assertThat(run("return await " + later.substring(later.indexOf(' ') + 1) + "({})")
                        .asText())
                .isEqualTo("called get_user");
    }

    @Test
    void unusableToolIsShownWithItsReasonAndNotCalled() throws IOException {
        TestPrerequisite.require(TestPrerequisite.hasProgram("node"), "Node.js (an MCP server runs on it)");
        Path directory = ServerSetup.temporaryDirectory().toRealPath();
        Path server = Files.writeString(directory.resolve("names.mjs"), NAMES_SERVER);
        Path list = directory.resolve("tools.json");
        writeTools(list, "good");
        ObjectNode settings = TestJson.object().put("command", "node");
        settings.putArray("args").add(server.toString()).add(list.toString());
        add("names", settings.toString());
        JsonNode backend = awaitReady("names");
        assertThat(backend.path("toolCount").asInt()).isEqualTo(1);
        assertThat(backend.path("unusableCount").asInt()).isEqualTo(1);
        String reason = backend.at("/tools/1/unusable").asText();
        assertThat(reason).startsWith("its input schema cannot be used: ");
        assertDescribed("GET", BACKENDS + "/{name}", 200, api.get(BACKENDS + "/names"));

        RestResponse tools = api.get("/api/v1/tools?backend=names");
        assertDescribed("GET", "/api/v1/tools", 200, tools);
        assertThat(tools.json().path("items"))
                .extracting(tool ->
                        tool.path("name").asText() + " " + tool.path("unusable").asText(""))
                .containsExactly("names.good ", "names.too-new " + reason);
        assertThat(run("""
                const refused = await names.too_new({}).catch((e) => e);
                return [await names.good({}), refused.code, refused.message, __interfaces.names.too_new.unusable];
                """))
                .isEqualTo(TestJson.read("[\"called good\",\"tool-unusable\","
                        + TestJson.object()
                                .put("t", "'names.too-new' cannot be used: " + reason)
                                .path("t") + ","
                        + TestJson.object().put("t", reason).path("t") + "]"));
    }

    @Test
    void scriptCallsToolsOfThirdPartyServers() throws IOException {
        Path directory = ServerSetup.temporaryDirectory().toRealPath();
        Files.writeString(directory.resolve("note.txt"), "kept here");
        add("everything", NodeJsPackages.backendSettings("everything", List.of("stdio"), ""));
        add("files", NodeJsPackages.backendSettings("filesystem", List.of(directory.toString()), ""));
        add(
                "memory",
                NodeJsPackages.backendSettings(
                        "memory",
                        List.of(),
                        "\"env\":{\"MEMORY_FILE_PATH\":\"" + directory.resolve("memory.jsonl") + "\"}"));
        add("thinking", NodeJsPackages.backendSettings("sequential-thinking", List.of(), ""));
        List.of("everything", "files", "memory", "thinking").forEach(this::awaitReady);

        assertThat(run("""
                const [echo, sum, weather] = await Promise.all([
                  everything.echo({ message: "hällo" }),
                  everything.get_sum({ a: 2, b: 3 }),
                  everything.get_structured_content({ location: "Chicago" }),
                ]);
                return { echo, sum, weather: typeof weather.temperature };
                """))
                .isEqualTo(TestJson.read(
                        "{\"echo\":\"Echo: hällo\",\"sum\":\"The sum of 2 and 3 is 5.\",\"weather\":\"number\"}"));
        assertThat(run("return await files.read_text_file({ path: '" + directory.resolve("note.txt") + "' })")
                        .toString())
                .contains("kept here");
        assertThat(run("""
                await memory.create_entities({ entities: [{ name: "Ada", entityType: "person", observations: \
                ["counts"] }] });
                return (await memory.read_graph()).entities[0].name;
                """).asText()).isEqualTo("Ada");
        assertThat(run("""
                const thought = { thought: "count", thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true };
                return (await thinking.sequentialthinking(thought)).thoughtHistoryLength;
                """).asInt()).isEqualTo(1);
        JsonNode refused = run("""
                try { await everything.get_sum({ a: "x", b: 3 }); } catch (e) { return e.code; }
                """);
        assertThat(refused.asText()).isEqualTo("invalid-arguments");
        assertThat(api.get("/api/v1/tools?q=sum%20EVERYTHING")
                        .expectStatus(200)
                        .json()
                        .path("items")
                        .get(0)
                        .path("name")
                        .asText())
                .isEqualTo("everything.get-sum");
        assertDescribed("GET", BACKENDS, 200, api.get(BACKENDS));
        assertDescribed("GET", BACKENDS + "/{name}", 200, api.get(BACKENDS + "/everything"));
    }

    @Test
    void killedServerRestartsAndServesCallsAgain(SallyportServer server) {
        // The processes of a removed backend end shortly after the removal.
        Await.until(
                "no process of another test is left",
                START_TIMEOUT,
                () -> processes(server, "server-everything").isEmpty());
        add("everything", NodeJsPackages.backendSettings("everything", List.of("stdio"), ""));
        awaitReady("everything");
        ProcessHandle process = processes(server, "server-everything").get(0);

        process.destroyForcibly();
        JsonNode down = Await.untilPresent(
                "the loss is noticed",
                START_TIMEOUT,
                () -> Optional.of(api.get(BACKENDS + "/everything").json())
                        .filter(b -> b.at("/status").has("lastError")));
        assertThat(down.at("/status/lastError").asText()).contains("exited with code");
        awaitReady("everything");
        assertThat(run("return await everything.echo({ message: 'again' })").asText())
                .isEqualTo("Echo: again");
        assertThat(server.isAlive()).isTrue();

        assertDescribed("POST", BACKENDS + "/{name}/restart", 202, api.post(BACKENDS + "/everything/restart", ""));
        JsonNode early = run("""
                try { return await everything.echo({ message: 'early' }); } catch (e) { return e.code + ": " + \
                e.message; }
                """);
        assertThat(early.asText())
                .isIn(
                        "Echo: early",
                        "backend-starting: Backend 'everything' is still starting; tool 'echo' is known from its "
                                + "cached catalog");
        awaitReady("everything");

        assertDescribed(
                "DELETE",
                BACKENDS + "/{name}",
                404,
                api.send(api.request(BACKENDS + "/nothing").DELETE()));
        api.send(api.request(BACKENDS + "/everything").DELETE()).expectStatus(204);
        assertDescribed("GET", BACKENDS + "/{name}", 404, api.get(BACKENDS + "/everything"));
        Await.until(
                "its process is gone",
                START_TIMEOUT,
                () -> processes(server, "server-everything").isEmpty());
        assertThat(run("try { await tools.everything.echo({}); } catch (e) { return e.code; }")
                        .asText())
                .isEqualTo("tool-not-found");
    }

    private static List<ProcessHandle> processes(SallyportServer server, String word) {
        return server.descendants().stream()
                .filter(process -> process.info().commandLine().orElse("").contains("node")
                        && process.info().commandLine().orElse("").contains(word))
                .toList();
    }

    @Tag("slow")
    @Test
    void hangingBackendWithAFullQueueDelaysNoOtherBackend() {
        add(
                "hanging",
                NodeJsPackages.backendSettings(
                        "everything", List.of("stdio"), "\"concurrency\":2,\"queue\":4,\"timeoutMillis\":60000"));
        add("fine", NodeJsPackages.backendSettings("everything", List.of("stdio"), ""));
        awaitReady("hanging");
        awaitReady("fine");
        p99Millis(); // The first calls load classes.
        double before = p99Millis();
        TimingCalibration pace = TimingCalibration.of(api);
        String slow = api.submit(SubmissionBody.javascript("""
                await Promise.allSettled(Array.from({ length: 6 }, () =>
                  hanging.trigger_long_running_operation({ duration: 55, steps: 2 })));
                """));
        Await.until(
                "its queue is full",
                START_TIMEOUT,
                () -> api.get(BACKENDS + "/hanging").json().at("/calls/waiting").asInt() == 4);

        assertThat(run("try { await hanging.echo({ message: 'x' }); } catch (e) { return e.code; }")
                        .asText())
                .isEqualTo("backend-busy");
        double beside = p99Millis();
        assertThat(Duration.ofMillis(Math.round(beside)))
                .as("p99 of the others, which was " + before + " ms")
                .isLessThan(pace.adjustLimit(
                        Duration.ofMillis(Math.round(Math.max(MAX_SLOWDOWN * before, NEGLIGIBLE_MILLIS)))));
        assertThat(api.get(BACKENDS + "/hanging").json().at("/calls/waiting").asInt())
                .as("it hangs as before")
                .isEqualTo(4);
        api.cancel(slow).expectStatus(202);
        api.awaitEnd(slow);
        Await.until(
                "its calls are withdrawn",
                START_TIMEOUT,
                () -> api.get(BACKENDS + "/hanging").json().at("/calls/running").asInt() == 0);
    }

    @Test
    void thirdPartyHttpServerIsReconnectedAfterItLosesItsSessions() throws IOException {
        int port = ServerSetup.freePort();
        Process peer = startPeer(port);
        try {
            addedBackends.add("remote");
            api.post(
                            BACKENDS,
                            "{\"name\":\"remote\",\"kind\":\"mcp-http\",\"settings\":{\"url\":\"http://127.0.0.1:"
                                    + port + "/mcp\",\"startMillis\":20000,\"pingMillis\":1000}}")
                    .expectStatus(201);
            JsonNode ready = awaitReady("remote");
            assertThat(ready.path("tools"))
                    .extracting(tool -> tool.path("name").asText())
                    .contains("remote.echo", "remote.get-sum");
            assertThat(run("""
                    return await Promise.all([remote.echo({ message: "hällo" }), remote.get_sum({ a: 2, b: 3 }),
                      remote.trigger_long_running_operation({ duration: 1, steps: 2 })]);
                    """)).isEqualTo(TestJson.read("""
                    ["Echo: hällo", "The sum of 2 and 3 is 5.", "Long running operation completed. Duration: 1 \
                    seconds, Steps: 2."]
                    """));

            String slow = api.submit(SubmissionBody.javascript("""
                    return await remote.trigger_long_running_operation({ duration: 50, steps: 100 }).catch((e) => \
                    e.code);
                    """).limit("wallMillis", 120_000));
            Await.until(
                    "a call is under way",
                    START_TIMEOUT,
                    () -> api.get(BACKENDS + "/remote")
                                    .json()
                                    .at("/calls/running")
                                    .asInt()
                            == 1);
            peer.destroyForcibly();
            assertThat(api.awaitEnd(slow).path("result").asText()).isEqualTo("outcome-unknown");
            awaitState(api, "remote", "down");

            peer = startPeer(port);
            awaitReady("remote");
            assertThat(run("return await remote.echo({ message: 'again' })").asText())
                    .isEqualTo("Echo: again");

            // The peer restarts so fast that only the session shows it: the new process does not know the old session.
            peer.destroyForcibly().onExit().join();
            peer = startPeer(port);
            Await.until(
                    "it is called again",
                    START_TIMEOUT,
                    () -> run("return await remote.echo({ message: 'anew' }).catch((e) => e.code)")
                            .asText()
                            .equals("Echo: anew"));
            awaitReady("remote");
        } finally {
            peer.destroyForcibly();
        }
    }

    private static Process startPeer(int port) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(NodeJsPackages.serverCommand("everything", "streamableHttp"))
                .redirectErrorStream(true)
                .redirectOutput(
                        ServerSetup.temporaryDirectory().resolve("peer.log").toFile());
        builder.environment().put("PORT", Integer.toString(port));
        return builder.start();
    }

    /** 99th percentile, in milliseconds, of 200 calls to two backends that do not hang, computed from the trace. */
    private double p99Millis() {
        JsonNode execution = api.run(SubmissionBody.javascript("""
                for (let i = 0; i < 100; i++) { await fine.echo({ message: "m" + i }); await demo.echo(i); }
                """).limit("wallMillis", 60_000));
        List<Double> millis = api.getTrace(execution.path("id").asText()).stream()
                .filter(event -> event.path("type").asText().equals("tool_end"))
                .map(event -> event.path("durationMillis").asDouble())
                .sorted()
                .toList();
        assertThat(millis).as(execution.toString()).hasSize(200);
        return millis.get(197);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                                                | 'name'",
                "{\"name\":\"a.b\",\"kind\":\"mcp-stdio\"}                         | 'name'",
                "{\"name\":\"java\",\"kind\":\"mcp-stdio\"}                        | 'name'",
                "{\"name\":\"x\"}                                                  | 'kind'",
                "{\"name\":\"x\",\"kind\":\"smtp\"}                                | 'kind' must be one of",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\"}                           | 'settings.command' is missing",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":[]}           | 'settings' must be an object",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"enabled\":\"yes\"}       | 'enabled'",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"colour\":1}              | unknown member",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"colour\":1}}      | "
                        + "'settings.colour' is unknown",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"args\":\"-y\"}}   | "
                        + "'settings.args'",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"queue\":-1}}      | "
                        + "'settings.queue'",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"env\":{\"A\":\"env:HOME\"}}} "
                        + "| 'settings.env.A'",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\","
                        + "\"env\":{\"A\":\"env:SALLYPORT_DB_PASSWORD\"}}} "
                        + "| 'settings.env.A'",
            })
    void invalidBackendIsRefusedWithTheReason(String body, String reason) {
        RestResponse answer = api.post(BACKENDS, body);
        assertDescribed("POST", BACKENDS, 400, answer);
        assertThat(answer.json().path("detail").asText()).contains(reason);
    }

    @Test
    void backendNameIsUniqueAndItsSecretsAreNotShown() {
        add("hidden", "{\"command\":\"/no/such/program\",\"env\":{\"KEY\":\"s3cr3t-value\"}}");
        assertDescribed(
                "POST",
                BACKENDS,
                409,
                api.post(BACKENDS, "{\"name\":\"HIDDEN\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\"}}"));
        JsonNode down = awaitState(api, "hidden", "down");
        assertThat(down.at("/status/lastError").asText()).contains("cannot be started");
        assertThat(down.toString()).doesNotContain("s3cr3t").contains("\"KEY\":\"***\"");

        RestResponse changed = api.send(api.request(BACKENDS + "/hidden")
                .header("Content-Type", "application/json")
                .PUT(RestClient.body("{\"kind\":\"mcp-stdio\",\"enabled\":false,"
                        + "\"settings\":{\"command\":\"/no/such/program\",\"queue\":9,"
                        + "\"env\":{\"KEY\":\"***\"}}}")));
        assertDescribed("PUT", BACKENDS + "/{name}", 200, changed);
        RestResponse elsewhere = api.send(api.request(BACKENDS + "/hidden")
                .header("Content-Type", "application/json")
                .PUT(RestClient.body(
                        "{\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"env\",\"env\":{\"KEY\":\"***\"}}}")));
        assertDescribed("PUT", BACKENDS + "/{name}", 400, elsewhere);
        assertThat(elsewhere.json().path("detail").asText()).contains("send the secrets again");
        assertThat(changed.json().at("/status/state").asText()).isEqualTo("down");
        assertDescribed("POST", BACKENDS + "/{name}/restart", 409, api.post(BACKENDS + "/hidden/restart", ""));
        assertDescribed(
                "POST",
                BACKENDS + "/{name}/tools/{tool}/accept",
                400,
                api.post(BACKENDS + "/hidden/tools/x/accept", "{}"));
        assertDescribed(
                "POST",
                BACKENDS + "/{name}/tools/{tool}/accept",
                404,
                api.post(BACKENDS + "/hidden/tools/x/accept", "{\"hash\":\"abc\"}"));
    }

    @Tag("slow")
    @Test
    void toolsOfBackendsFromAFileAreKnownBeforeTheyAreUp() throws Exception {
        Path file = ServerSetup.temporaryDirectory().resolve("servers.json");
        Files.writeString(
                file,
                "{\"mcpServers\":{\"every thing\":" + NodeJsPackages.backendSettings("everything", List.of("stdio"), "")
                        + "}}");
        ServerSetup setup = ServerSetup.create("backends-file").with("sallyport.backends.file", file.toString());
        try (PostgreSql database = PostgreSql.start();
                SallyportServer server = setup.start()) {
            awaitState(server.api(), "every_thing", "ready");
            server.api()
                    .send(server.api().request(BACKENDS + "/every_thing").DELETE())
                    .expectStatus(409);
            server.stop();
            // This command starts but never completes the MCP handshake.
            Files.writeString(
                    file,
                    "backends:\n  every_thing:\n    kind: mcp-stdio\n    command: sleep\n    args: ['600']\n"
                            + SHOP.formatted(database.url()));
            server.startProcess();
            server.awaitReady();

            JsonNode execution = server.api()
                    .run(SubmissionBody.javascript(
                            "try { await every_thing.echo({ message: 'x' }); } catch (e) { return [e.code, "
                                    + "e.retryable, e.message]; }"));
            assertThat(execution.path("result"))
                    .isEqualTo(TestJson.read(
                            "[\"backend-starting\",true,\"Backend 'every_thing' is still starting; tool 'echo'"
                                    + " is known from its cached catalog\"]"));
            statementsAreCalledAndALostWriteIsRolledBack(server.api(), database);
        }
    }

    private static final String SHOP = """
              shop:
                kind: sql
                url: %s
                user: shop
                password: secret:shop
                statements:
                  find:
                    sql: select id, name, fee from pet where name = :name
                    parameters: { name: { type: string } }
                  rename: { sql: "update pet set name = :name where id = :id", writes: true, idempotent: true }
                  endless: { sql: "update pet set name = 'gone' where id = 1 and pg_sleep(600)::text = ''", writes: \
            true }
            """;

    private static void statementsAreCalledAndALostWriteIsRolledBack(RestClient api, PostgreSql database)
            throws SQLException {
        String password = "open-the-shop-4711";
        database.createUser("shop", password);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("create table pet (id integer primary key, name text unique, fee numeric(10,2))");
            statement.execute("insert into pet values (1, 'Rex', 1.50), (2, 'Bo', null)");
            statement.execute("grant select, update on pet to shop");
        }
        assertThat(api.get(BACKENDS + "/shop")
                        .expectStatus(200)
                        .json()
                        .at("/status/state")
                        .asText())
                .as("without its password")
                .isNotEqualTo("ready");
        api.post("/api/v1/secrets", "{\"name\":\"shop\",\"value\":\"" + password + "\"}")
                .expectStatus(201);
        JsonNode shop = awaitState(api, "shop", "ready");
        assertThat(shop.toString()).doesNotContain(password).contains("secret:shop");

        JsonNode called = api.run(SubmissionBody.javascript("""
                const refused = [];
                for (const call of [() => shop.find({}), () => shop.find({ name: 1 }), () => shop.find({ name: "Rex", \
                more: 1 })])
                  try { await call(); } catch (e) { refused.push(e.code); }
                return { found: await shop.find({ name: "Rex" }), renamed: await shop.rename({ id: 2, name: "Ob" }), \
                refused,
                  twice: await shop.rename({ id: 2, name: "Rex" }).catch((e) => e.code), after: await shop.find({ \
                name: "Ob" }) };
                """));
        assertThat(called.path("result")).as(called.toString()).isEqualTo(TestJson.read("""
                { "found": [{ "id": 1, "name": "Rex", "fee": 1.5 }], "renamed": { "updated": 1 },
                  "refused": ["invalid-arguments", "invalid-arguments", "invalid-arguments"],
                  "twice": "tool-failed", "after": [{ "id": 2, "name": "Ob", "fee": null }] }
                """));

        String endless = api.submit(SubmissionBody.javascript("return await shop.endless({}).catch((e) => e.code)"));
        Await.until(
                "the statement is under way",
                START_TIMEOUT,
                () -> database.queryText(
                                "select count(*)::text from pg_stat_activity where state = 'active' and query like ?",
                                "update pet set name = 'gone'%")
                        .equals("1"));
        database.kill();
        // Its commit had not begun.
        assertThat(api.awaitEnd(endless).path("result").asText()).isEqualTo("backend-unavailable");
        assertThat(api.run(SubmissionBody.javascript("return await shop.find({ name: 'Rex' }).catch((e) => e.code)"))
                        .path("result")
                        .asText())
                .isEqualTo("backend-unavailable");
        database.startProcess();
        Await.until(
                "its statements are called again",
                START_TIMEOUT,
                () -> api.run(SubmissionBody.javascript(
                                        "return (await shop.find({ name: 'Rex' }).catch(() => [])).length"))
                                .path("result")
                                .asInt()
                        == 1);
    }
}
