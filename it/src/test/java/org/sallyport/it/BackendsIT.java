package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Description;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.NodeServers;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Backends that are added, used, broken and removed while the service runs; the servers behind them are those of others. */
@ExtendWith(Servers.class)
class BackendsIT {
    private static final String BACKENDS = "/api/v1/backends";
    private static final Duration START = Duration.ofSeconds(90);

    private final Api api;
    private final Description description;
    private final List<String> added = new ArrayList<>();

    BackendsIT(Api api) {
        this.api = api;
        this.description = Description.of(api);
    }

    @AfterEach
    void remove() {
        added.forEach(name -> api.send(api.request(BACKENDS + "/" + name).DELETE()));
    }

    private JsonNode add(String name, String settings) {
        added.add(name);
        Answer answer =
                api.post(BACKENDS, "{\"name\":\"" + name + "\",\"kind\":\"mcp-stdio\",\"settings\":" + settings + "}");
        isDescribed("POST", BACKENDS, 201, answer);
        assertThat(answer.header("Location")).endsWith(BACKENDS + "/" + name);
        return answer.json();
    }

    private void isDescribed(String method, String path, int status, Answer answer) {
        answer.expect(status);
        assertThat(description.faults(method, path, answer))
                .as(answer.toString())
                .isEmpty();
    }

    private JsonNode awaitReady(String name) {
        return awaitState(api, name, "ready");
    }

    private static JsonNode awaitState(Api api, String name, String state) {
        JsonNode[] last = new JsonNode[1];
        try {
            return Await.value("backend " + name + " is " + state, START, () -> {
                last[0] = api.get(BACKENDS + "/" + name).expect(200).json();
                return Optional.of(last[0])
                        .filter(b -> b.at("/status/state").asText().equals(state));
            });
        } catch (AssertionError e) {
            throw new AssertionError("last seen: " + last[0], e);
        }
    }

    private JsonNode run(String script) {
        JsonNode execution = api.run(Submission.javascript(script).limit("wallMillis", 60_000));
        assertThat(execution.path("state").asText()).as(execution.toString()).isEqualTo("COMPLETED");
        return execution.path("result");
    }

    @Test
    void aScriptCallsTheToolsOfServersThatOthersWrote() throws IOException {
        Path directory = ServerSetup.temporaryDirectory().toRealPath();
        Files.writeString(directory.resolve("note.txt"), "kept here");
        add("everything", NodeServers.settings("everything", List.of("stdio"), ""));
        add("files", NodeServers.settings("filesystem", List.of(directory.toString()), ""));
        add(
                "memory",
                NodeServers.settings(
                        "memory",
                        List.of(),
                        "\"env\":{\"MEMORY_FILE_PATH\":\"" + directory.resolve("memory.jsonl") + "\"}"));
        List.of("everything", "files", "memory").forEach(this::awaitReady);

        assertThat(run("""
                const [echo, sum, weather] = await Promise.all([
                  everything.echo({ message: "hällo" }),
                  everything.get_sum({ a: 2, b: 3 }),
                  everything.get_structured_content({ location: "Chicago" }),
                ]);
                return { echo, sum, weather: typeof weather.temperature };
                """))
                .isEqualTo(Json.read(
                        "{\"echo\":\"Echo: hällo\",\"sum\":\"The sum of 2 and 3 is 5.\",\"weather\":\"number\"}"));
        assertThat(run("return await files.read_text_file({ path: '" + directory.resolve("note.txt") + "' })")
                        .toString())
                .contains("kept here");
        assertThat(run("""
                await memory.create_entities({ entities: [{ name: "Ada", entityType: "person", observations: ["counts"] }] });
                return (await memory.read_graph()).entities[0].name;
                """).asText()).isEqualTo("Ada");
        JsonNode refused = run("""
                try { await everything.get_sum({ a: "x", b: 3 }); } catch (e) { return e.code; }
                """);
        assertThat(refused.asText()).isEqualTo("invalid-arguments");
        assertThat(api.get("/api/v1/tools?q=sum%20EVERYTHING")
                        .expect(200)
                        .json()
                        .path("items")
                        .get(0)
                        .path("name")
                        .asText())
                .isEqualTo("everything.get-sum");
        isDescribed("GET", BACKENDS, 200, api.get(BACKENDS));
        isDescribed("GET", BACKENDS + "/{name}", 200, api.get(BACKENDS + "/everything"));
    }

    @Test
    void aServerThatIsKilledComesBackAndCallsGoOn(SallyportServer server) {
        add("everything", NodeServers.settings("everything", List.of("stdio"), ""));
        awaitReady("everything");
        ProcessHandle process = processes("server-everything").get(0);

        process.destroyForcibly();
        JsonNode down = Await.value(
                "the loss is noticed",
                START,
                () -> Optional.of(api.get(BACKENDS + "/everything").json())
                        .filter(b -> b.at("/status").has("lastError")));
        assertThat(down.at("/status/lastError").asText()).contains("exited with code");
        awaitReady("everything");
        assertThat(run("return await everything.echo({ message: 'again' })").asText())
                .isEqualTo("Echo: again");
        assertThat(server.isAlive()).isTrue();

        isDescribed("POST", BACKENDS + "/{name}/restart", 202, api.post(BACKENDS + "/everything/restart", ""));
        JsonNode early = run("""
                try { return await everything.echo({ message: 'early' }); } catch (e) { return e.code + ": " + e.message; }
                """);
        assertThat(early.asText())
                .isIn(
                        "Echo: early",
                        "backend-starting: Backend 'everything' is still starting; tool 'echo' is known from its cached catalog");
        awaitReady("everything");

        isDescribed(
                "DELETE",
                BACKENDS + "/{name}",
                404,
                api.send(api.request(BACKENDS + "/nothing").DELETE()));
        api.send(api.request(BACKENDS + "/everything").DELETE()).expect(204);
        isDescribed("GET", BACKENDS + "/{name}", 404, api.get(BACKENDS + "/everything"));
        Await.until(
                "its process is gone",
                START,
                () -> processes("server-everything").isEmpty());
        assertThat(run("try { await tools.everything.echo({}); } catch (e) { return e.code; }")
                        .asText())
                .isEqualTo("tool-not-found");
    }

    private static List<ProcessHandle> processes(String word) {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> process.info().commandLine().orElse("").contains("node")
                        && process.info().commandLine().orElse("").contains(word))
                .toList();
    }

    @Test
    void aBackendThatHangsWithItsQueueFullDelaysNoOther() {
        add(
                "hanging",
                NodeServers.settings(
                        "everything", List.of("stdio"), "\"concurrency\":2,\"queue\":4,\"timeoutMillis\":60000"));
        add("fine", NodeServers.settings("everything", List.of("stdio"), ""));
        awaitReady("hanging");
        awaitReady("fine");
        String slow = api.submit(Submission.javascript("""
                await Promise.allSettled(Array.from({ length: 6 }, () =>
                  hanging.trigger_long_running_operation({ duration: 50, steps: 2 })));
                """));
        Await.until(
                "its queue is full",
                START,
                () -> api.get(BACKENDS + "/hanging").json().at("/calls/waiting").asInt() == 4);

        assertThat(run("try { await hanging.echo({ message: 'x' }); } catch (e) { return e.code; }")
                        .asText())
                .isEqualTo("backend-busy");
        long begun = System.nanoTime();
        assertThat(run("""
                for (let i = 0; i < 50; i++) { await fine.echo({ message: "m" + i }); await demo.echo(i); }
                return "done";
                """).asText()).isEqualTo("done");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        api.cancel(slow).expect(202);
        api.awaitEnd(slow);
        Await.until(
                "its calls are withdrawn",
                START,
                () -> api.get(BACKENDS + "/hanging").json().at("/calls/running").asInt() == 0);
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
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"colour\":1}}      | 'settings.colour' is unknown",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"args\":\"-y\"}}   | 'settings.args'",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"queue\":-1}}      | 'settings.queue'",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"env\":{\"A\":\"env:HOME\"}}} | 'settings.env.A'",
                "{\"name\":\"x\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"env\":{\"A\":\"env:SALLYPORT_DB_PASSWORD\"}}} | 'settings.env.A'",
            })
    void whatCannotBeABackendIsRefusedWithTheReason(String body, String reason) {
        Answer answer = api.post(BACKENDS, body);
        isDescribed("POST", BACKENDS, 400, answer);
        assertThat(answer.json().path("detail").asText()).contains(reason);
    }

    @Test
    void aBackendIsThereOnceAndItsSecretsAreNotShown() {
        add("hidden", "{\"command\":\"/no/such/program\",\"env\":{\"KEY\":\"s3cr3t-value\"}}");
        isDescribed(
                "POST",
                BACKENDS,
                409,
                api.post(BACKENDS, "{\"name\":\"HIDDEN\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\"}}"));
        JsonNode down = awaitState(api, "hidden", "down");
        assertThat(down.at("/status/lastError").asText()).contains("cannot be started");
        assertThat(down.toString()).doesNotContain("s3cr3t").contains("\"KEY\":\"***\"");

        Answer changed = api.send(
                api.request(BACKENDS + "/hidden")
                        .header("Content-Type", "application/json")
                        .PUT(
                                Api.body(
                                        "{\"kind\":\"mcp-stdio\",\"enabled\":false,\"settings\":{\"command\":\"/no/such/program\",\"queue\":9,\"env\":{\"KEY\":\"***\"}}}")));
        isDescribed("PUT", BACKENDS + "/{name}", 200, changed);
        Answer elsewhere = api.send(api.request(BACKENDS + "/hidden")
                .header("Content-Type", "application/json")
                .PUT(Api.body(
                        "{\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"env\",\"env\":{\"KEY\":\"***\"}}}")));
        isDescribed("PUT", BACKENDS + "/{name}", 400, elsewhere);
        assertThat(elsewhere.json().path("detail").asText()).contains("give them anew");
        assertThat(changed.json().at("/status/state").asText()).isEqualTo("down");
        isDescribed("POST", BACKENDS + "/{name}/restart", 409, api.post(BACKENDS + "/hidden/restart", ""));
        isDescribed(
                "POST",
                BACKENDS + "/{name}/tools/{tool}/accept",
                400,
                api.post(BACKENDS + "/hidden/tools/x/accept", "{}"));
        isDescribed(
                "POST",
                BACKENDS + "/{name}/tools/{tool}/accept",
                404,
                api.post(BACKENDS + "/hidden/tools/x/accept", "{\"hash\":\"abc\"}"));
    }

    @Test
    void aFileConfiguresBackendsAndTheirToolsAreKnownBeforeTheyAreUp() throws IOException {
        Path file = ServerSetup.temporaryDirectory().resolve("servers.json");
        Files.writeString(
                file,
                "{\"mcpServers\":{\"every thing\":" + NodeServers.settings("everything", List.of("stdio"), "") + "}}");
        ServerSetup setup = ServerSetup.fresh("backends-file").with("sallyport.backends.file", file.toString());
        try (SallyportServer server = setup.start()) {
            awaitState(server.api(), "every_thing", "ready");
            server.api()
                    .send(server.api().request(BACKENDS + "/every_thing").DELETE())
                    .expect(409);
            server.stop();
            // It would start, but never shakes hands.
            Files.writeString(
                    file, "backends:\n  every_thing:\n    kind: mcp-stdio\n    command: sleep\n    args: ['600']\n");
            server.begin();
            server.awaitReady();

            JsonNode execution = server.api()
                    .run(
                            Submission.javascript(
                                    "try { await every_thing.echo({ message: 'x' }); } catch (e) { return [e.code, e.retryable, e.message]; }"));
            assertThat(execution.path("result"))
                    .isEqualTo(Json.read(
                            "[\"backend-starting\",true,\"Backend 'every_thing' is still starting; tool 'echo'"
                                    + " is known from its cached catalog\"]"));
        }
    }
}
