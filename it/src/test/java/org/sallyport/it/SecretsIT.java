package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.testsupport.TestPrerequisite;

/**
 * No interface returns the value of a stored secret: not through a backend whose MCP server reveals everything that it
 * knows, and not from stored data.
 */
@ExtendWith(ServerExtension.class)
class SecretsIT {
    private static final String SECRETS = "/api/v1/secrets";
    private static final String BACKENDS = "/api/v1/backends";
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final String VALUE = "hunter2/+\"ä~ \\&<of the-bank";
    private static final String ARGUMENT = "argument-4711-0815";
    private static final String NEXT_VALUE = "another-value-4712";

    private final RestClient api;
    private final OpenApiResponseValidator description;

    SecretsIT(RestClient api) {
        this.api = api;
        this.description = OpenApiResponseValidator.of(api);
    }

    private void assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
    }

    private static RestResponse put(RestClient api, String path, String body) {
        return api.send(
                api.request(path).header("Content-Type", "application/json").PUT(RestClient.body(body)));
    }

    private static RestResponse delete(RestClient api, String path) {
        return api.send(api.request(path).DELETE());
    }

    private static String toJsonString(String value) {
        return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    @Test
    void secretIsStoredListedRotatedAndDeletedWithoutBeingShown() {
        RestResponse created = api.post(SECRETS, "{\"name\":\"bank.key-1\",\"value\":" + toJsonString(VALUE) + "}");
        assertDescribed("POST", SECRETS, 201, created);
        assertThat(created.header("Location")).endsWith(SECRETS + "/bank.key-1");
        assertDescribed("POST", SECRETS, 409, api.post(SECRETS, "{\"name\":\"bank.key-1\",\"value\":\"12345678\"}"));
        RestResponse changed = put(api, SECRETS + "/bank.key-1", "{\"value\":" + toJsonString(NEXT_VALUE) + "}");
        assertDescribed("PUT", SECRETS + "/{name}", 200, changed);
        assertThat(changed.json().path("version").asInt()).isEqualTo(2);
        RestResponse list = api.get(SECRETS);
        assertDescribed("GET", SECRETS, 200, list);
        assertThat(list.text() + created.text() + changed.text())
                .contains("bank.key-1")
                .doesNotContain("hunter2", NEXT_VALUE);
        delete(api, SECRETS + "/bank.key-1").expectStatus(204);
        assertDescribed("DELETE", SECRETS + "/{name}", 404, delete(api, SECRETS + "/bank.key-1"));
        assertDescribed("PUT", SECRETS + "/{name}", 404, put(api, SECRETS + "/bank.key-1", "{\"value\":\"12345678\"}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                      | 'name'",
                "{\"name\":\"a b\",\"value\":\"12345678\"} | 'name'",
                "{\"name\":\"1a\",\"value\":\"12345678\"}  | 'name'",
                "{\"name\":\"ok\"}                         | 'value'",
                "{\"name\":\"ok\",\"value\":\"1234567\"}   | 'value' must have 8 to",
                "{\"name\":\"ok\",\"value\":\"1234567\\u0000\"} | 'value'",
                "{\"name\":\"ok\",\"value\":12345678}      | 'value'",
                "{\"name\":\"ok\",\"value\":\"12345678\",\"tenant\":\"other\"} | unknown member",
            })
    void invalidSecretIsRefused(String body, String reason) {
        RestResponse answer = api.post(SECRETS, body);
        assertDescribed("POST", SECRETS, 400, answer);
        assertThat(answer.json().path("detail").asText()).contains(reason);
        assertThat(answer.text()).doesNotContain("1234567");
    }

    @ParameterizedTest
    @CsvSource({"env:HOME", "'${env:PATH}'", "'x ${file:/etc/passwd}'", "'secret:no name'", "'${secret:}'"})
    void restRefusesReferencesToServerEnvironmentOrFiles(String reference) {
        RestResponse answer = api.post(
                BACKENDS,
                "{\"name\":\"curious\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"c\",\"env\":{\"A\":\""
                        + reference + "\"}}}");
        answer.expectStatus(400);
        assertThat(answer.json().path("detail").asText()).contains("'settings.env.A'");
    }

    private static JsonNode awaitBackend(RestClient api, String name, String state, String error) {
        return Await.untilPresent("backend " + name + " is " + state + " " + error, TIMEOUT, () -> {
            JsonNode backend = api.get(BACKENDS + "/" + name).expectStatus(200).json();
            return Optional.of(backend)
                    .filter(b -> b.at("/status/state").asText().equals(state)
                            && b.at("/status/lastError").asText().contains(error));
        });
    }

    private static String runAndReadAll(RestClient api, String script) {
        JsonNode execution = api.run(SubmissionBody.javascript(script).limit("wallMillis", 60_000));
        String id = execution.path("id").asText();
        return execution
                + api.get(RestClient.EXECUTIONS + "/" + id + "/trace").text()
                + api.get(RestClient.EXECUTIONS + "/" + id + "/journal").text();
    }

    private static void awaitSecretValue(RestClient api, String value) {
        String hash = sha256(value);
        Await.until(
                "the backend has the value",
                TIMEOUT,
                () -> runAndReadAll(api, "try { return await talkative.hash({}); } catch (e) { return e.code; }")
                        .contains(hash));
    }

    @Tag("slow")
    @Test
    void secretsOfALeakingServerAreRedacted() throws Exception {
        TestPrerequisite.require(TestPrerequisite.hasProgram("node"), "Node.js");
        Path program = ServerSetup.temporaryDirectory().resolve("talkative.js");
        Files.writeString(program, LEAKING_MCP_SERVER);
        try (SallyportServer server = ServerSetup.create("secrets").start()) {
            RestClient own = server.api();
            own.post(
                            BACKENDS,
                            "{\"name\":\"talkative\",\"kind\":\"mcp-stdio\",\"settings\":{\"command\":\"node\","
                                    + "\"args\":[\""
                                    + program
                                    + "\",\"--key=${secret:argument}\"],\"env\":{\"KEY\":\"secret:bank\"}}}")
                    .expectStatus(201);
            awaitBackend(own, "talkative", "down", "is not stored");
            own.post(SECRETS, "{\"name\":\"argument\",\"value\":" + toJsonString(ARGUMENT) + "}")
                    .expectStatus(201);
            own.post(SECRETS, "{\"name\":\"bank\",\"value\":" + toJsonString(VALUE) + "}")
                    .expectStatus(201);
            JsonNode ready = awaitBackend(own, "talkative", "ready", "");
            assertThat(ready.toString()).contains("secret:bank", "${secret:argument}", "I know [redacted]");

            String seen = runAndReadAll(own, """
                    const all = await talkative.forms({});
                    console.log(JSON.stringify(all));
                    for (const one of Object.values(all)) console.error(one);
                    const { letters } = await talkative.letters({});
                    console.log("joined " + letters.join(""));
                    let failure;
                    try { await talkative.fail({}); } catch (e) { failure = e.message + JSON.stringify(e.details ?? \
                    null); }
                    return { all, failure, joined: letters.join("") };
                    """);
            seen += runAndReadAll(own, "throw new Error((await talkative.letters({})).letters.join(''))");
            assertThat(seen).contains("[redacted]", "COMPLETED", "joined ").doesNotContain("tool-not-found");
            runAndReadAll(own, "try { await talkative.die({}); } catch (e) { return e.message; }");
            JsonNode died = Await.untilPresent(
                    "it died",
                    TIMEOUT,
                    () -> Optional.of(own.get(BACKENDS + "/talkative").json())
                            .filter(b -> b.at("/status/lastError").asText().contains("last words")));
            seen += died
                    + own.get("/api/v1/tools?q=talkative").text()
                    + own.get(SECRETS).text();
            assertThat(own.get(SECRETS).text()).contains("\"lastUsedBy\":\"talkative\"");
            assertHidden("what the service says", seen);

            awaitBackend(own, "talkative", "ready", "");
            awaitSecretValue(own, VALUE);
            put(own, SECRETS + "/bank", "{\"value\":" + toJsonString(NEXT_VALUE) + "}")
                    .expectStatus(200);
            awaitSecretValue(own, NEXT_VALUE);
            delete(own, SECRETS + "/bank").expectStatus(204);
            awaitBackend(own, "talkative", "down", "secret 'bank' is not stored");
            own.post(SECRETS, "{\"name\":\"bank\",\"value\":" + toJsonString(VALUE) + "}")
                    .expectStatus(201);
            awaitSecretValue(own, VALUE);

            server.stop();
            String stored = dumpDatabase(server.dataDirectory());
            assertThat(stored).contains("talkative");
            assertHidden("the database", stored);
            Path key = server.dataDirectory().resolve("secrets.key");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                    .isEqualTo("rw-------");
            String right = Files.readString(key);
            Files.writeString(key, Base64.getEncoder().encodeToString(new byte[32]) + "\n");
            server.startProcess();
            server.awaitReady();
            awaitBackend(server.api(), "talkative", "down", "which this node does not have");
            server.stop();
            Files.writeString(key, Base64.getEncoder().encodeToString(new byte[32]) + "\n" + right);
            server.startProcess();
            server.awaitReady();
            awaitSecretValue(server.api(), VALUE);
            assertHidden("the log", server.logText());
        }
    }

    private static void assertHidden(String where, String text) {
        for (String secret : List.of(VALUE, ARGUMENT, NEXT_VALUE)) {
            byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
            List<String> forms = new ArrayList<>(List.of(
                    secret,
                    secret.substring(0, 9),
                    toJsonString(secret),
                    java.net.URLEncoder.encode(secret, StandardCharsets.UTF_8),
                    HexFormat.of().formatHex(bytes)));
            for (int offset = 0; offset < 3; offset++) {
                byte[] shifted = new byte[offset + bytes.length];
                System.arraycopy(bytes, 0, shifted, offset, bytes.length);
                forms.add(Base64.getEncoder().encodeToString(shifted).substring(4, 16));
                forms.add(Base64.getUrlEncoder().encodeToString(shifted).substring(4, 16));
            }
            for (String form : forms) {
                assertThat(text.contains(form)).as(where + " has " + form).isFalse();
            }
        }
    }

    @Tag("slow")
    @Test
    void secretComposedByAScriptIsRedactedButSentUnchanged() throws Exception {
        String secret = "composed-4711-secret";
        try (SallyportServer server = ServerSetup.create("composed")
                .with("sallyport.secrets.max-per-tenant", "2")
                .with("sallyport.approvals.allow-self-approval", "true")
                .start()) {
            RestClient own = server.api();
            String late = own.submit(SubmissionBody.javascript("""
                    console.log('begun');
                    await events.next('go');
                    const s = ['composed', '4711', 'secret'].join('-');
                    console.log('late ' + s);
                    return s;
                    """));
            own.awaitOutput(late, "begun");
            own.post(SECRETS, "{\"name\":\"composed\",\"value\":" + toJsonString(secret) + "}")
                    .expectStatus(201);
            own.post(SECRETS, "{\"name\":\"login\",\"value\":\"ada:pass4711word\"}")
                    .expectStatus(201);
            RestResponse third = own.post(SECRETS, "{\"name\":\"third\",\"value\":\"12345678\"}");
            assertDescribed("POST", SECRETS, 409, third);
            assertThat(third.problemType()).isEqualTo("too-many-secrets");
            assertThat(third.json().path("limit").asInt()).isEqualTo(2);
            put(own, SECRETS + "/login", "{\"value\":\"ada:pass4712word\"}").expectStatus(200);

            String id = own.submit(SubmissionBody.javascript("""
                    const s = ['composed', '4711', 'secret'].join('-');
                    const heard = events.next('told');
                    await events.emit('told', { s });
                    const { data } = await heard;
                    await events.emit('go');
                    await demo.echo({ s, login: ['pass4712', 'word'].join('') });
                    await demo.send_mail({ to: 'ada', subject: 'plain', body: s });
                    return data;
                    """));
            JsonNode asked = Await.untilPresent(
                    "it is asked",
                    TIMEOUT,
                    () -> Optional.of(own.get("/api/v1/approvals").json().at("/items/0"))
                            .filter(each -> each.path("execution").asText().equals(id)));
            assertThat(asked.at("/arguments/body").asText()).isEqualTo("[redacted]");
            String path = "/api/v1/approvals/" + asked.path("id").asText();
            String moved = "{\"arguments\":{\"to\":\"[redacted]\",\"subject\":\"s\",\"body\":\"b\"}}";
            assertDescribed("POST", "/api/v1/approvals/{id}/approve", 400, own.post(path + "/approve", moved));
            String edited = "{\"arguments\":{\"to\":\"ada\",\"subject\":\"edited\",\"body\":\"[redacted]\"}}";
            String decided =
                    own.post(path + "/approve", edited).expectStatus(200).text();
            JsonNode ended = own.awaitEnd(id);
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");

            String seen =
                    asked + decided + ended + own.awaitEnd(late) + own.get(path).text();
            for (String part : List.of("/trace", "/journal", "/events", "/diff?with=" + late)) {
                seen += own.get(RestClient.EXECUTIONS + "/" + id + part)
                        .expectStatus(200)
                        .text();
            }
            assertThat(seen).contains("[redacted]", "edited", "late [redacted]").doesNotContain(secret, "pass4712word");
            own.submit(SubmissionBody.javascript("return demo.send_mail({ to: 'ada', subject: 's', body: 'b' })")
                    .with("intent", toJsonString("tells ada " + secret)));
            assertThat(Await.untilPresent(
                                    "why it asks is told",
                                    TIMEOUT,
                                    () -> Optional.of(own.get("/api/v1/approvals")
                                                    .json()
                                                    .at("/items/0/intent"))
                                            .filter(JsonNode::isTextual))
                            .asText())
                    .isEqualTo("tells ada [redacted]");
            server.stop();
            assertThat(dumpDatabase(server.dataDirectory())
                            .lines()
                            .filter(line -> line.contains("edited") && line.contains(secret)))
                    .as("the mail that was sent")
                    .isNotEmpty();
        }
    }

    private static String dumpDatabase(Path data) throws SQLException {
        StringBuilder all = new StringBuilder();
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:h2:file:" + data.resolve("sallyport") + ";IFEXISTS=TRUE;WRITE_DELAY=0", "sallyport", "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("script")) {
            while (rows.next()) {
                all.append(rows.getString(1)).append('\n');
            }
        }
        return all.toString();
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** MCP server that returns its environment and arguments in many encodings. */
    private static final String LEAKING_MCP_SERVER = """
            const key = process.env.KEY, argument = process.argv[2].slice(6), crypto = require("crypto");
            const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
            const forms = (value, of) => ({
              [of + "plain"]: "key " + value, [of + "json"]: JSON.stringify({ deep: JSON.stringify({ value }) }),
              [of + "ascii"]: JSON.stringify(value).replace(/[\\u0080-\\uffff&<]/g, (c) => "\\\\u" + \
            c.charCodeAt(0).toString(16).padStart(4, "0")),
              [of + "b0"]: Buffer.from(value).toString("base64"), [of + "b1"]: Buffer.from("u" + value + \
            "x").toString("base64"),
              [of + "b2"]: Buffer.from("us" + value + "xy").toString("base64"), [of + "b3"]: Buffer.from("user:" + \
            value).toString("base64url"),
              [of + "hex"]: Buffer.from(value).toString("hex"), [of + "url"]: "https://x.example/?k=" + \
            encodeURIComponent(value),
              [of + "form"]: new URLSearchParams({ k: value }).toString(), [of + "lower"]: \
            encodeURIComponent(value).replace(/%../g, (x) => x.toLowerCase()),
              [value]: "a name",
            });
            const text = (value, isError) => ({ content: [{ type: "text", text: value }], isError });
            const tools = {
              forms: () => ({ ...text("forms"), structuredContent: { ...forms(key, "k"), ...forms(argument, "a") } }),
              letters: () => ({ ...text("letters"), structuredContent: { letters: [...key] } }),
              fail: () => text("refused: Authorization: Basic " + Buffer.from("me:" + key).toString("base64") + " " + \
            key + argument, true),
              hash: () => text(crypto.createHash("sha256").update(key).digest("hex")),
              die: () => { process.stderr.write("last words " + key + " " + argument); process.exit(3); },
            };
            require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
              const { id, method, params } = JSON.parse(line);
              if (method === "initialize") say({ id, result: { protocolVersion: params.protocolVersion, capabilities: \
            { tools: {} }, serverInfo: { name: "talkative", version: "1" } } });
              else if (method === "tools/list") say({ id, result: { tools: Object.keys(tools).map((name) => ({ name, \
            description: "I know " + key, inputSchema: { type: "object" } })) } });
              else if (method === "tools/call") say({ id, result: tools[params.name]() });
              else if (id !== undefined) say({ id, result: {} });
            });
            """;
}
