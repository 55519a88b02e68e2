package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Agent;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.testsupport.Timing;

/** The door for agents, request by request: what is wrong is said, and nothing comes of it. */
@ExtendWith(Servers.class)
class McpWireIT {
    private static final String BOTH = "application/json, text/event-stream";
    private static final String SESSION = "Mcp-Session-Id";
    private static final Duration SOON = Duration.ofSeconds(60);

    private final SallyportServer server;
    private final Api api;

    McpWireIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    private static HttpRequest.Builder post(Api caller, String body) {
        return caller.request(Agent.DOOR)
                .header("Content-Type", "application/json")
                .header("Accept", BOTH)
                .POST(Api.body(body));
    }

    private static String message(Object id, String method, String params) {
        String shown = id instanceof String text ? '"' + text + '"' : String.valueOf(id);
        return "{\"jsonrpc\":\"2.0\",\"id\":" + shown + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    private static final String HELLO = message(
            "hello",
            "initialize",
            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"plain\",\"version\":\"1\"}}");

    private static String session(Api caller) {
        Answer answer = caller.send(post(caller, HELLO)).expect(200);
        assertThat(answer.json().at("/result/protocolVersion").asText()).isEqualTo("2025-11-25");
        assertThat(answer.json().path("id").asText()).isEqualTo("hello");
        assertThat(answer.header(SESSION)).isNotEmpty();
        return answer.header(SESSION);
    }

    private static Answer ask(Api caller, String session, String body) {
        return caller.send(post(caller, body).header(SESSION, session));
    }

    private static String run(Object id, String code, String more) {
        ObjectNode arguments = Json.object().put("code", code);
        return message(
                id, "tools/call", "{\"name\":\"run_script\",\"arguments\":" + Json.write(arguments) + more + "}");
    }

    @Test
    void aShortAnswerIsAnObjectAndALongOneAStream() {
        String session = session(api);
        Answer answer = ask(api, session, message(7, "tools/list", "{}")).expect(200);
        assertThat(answer.header("Content-Type")).startsWith("application/json");
        assertThat(answer.json().path("id").asInt()).isEqualTo(7);
        assertThat(answer.header("Cache-Control")).contains("no-store");
        Answer stream = ask(api, session, run("long", "await sleep(1500); return 'é\\ud800'", ""))
                .expect(200);
        assertThat(stream.header("Content-Type")).startsWith("text/event-stream");
        assertThat(stream.text()).contains("\"id\":\"long\"", "COMPLETED", "é\\ud800");
        ask(api, session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                .expect(202);
        ask(api, session, "{\"jsonrpc\":\"2.0\",\"id\":\"nobody\",\"result\":{}}")
                .expect(202);
    }

    @Test
    void withoutAValidKeyNobodyComesIn() {
        Api nobody = api.anonymous();
        for (Api caller : List.of(nobody, api.as("sp_x"), api.as("sp_AAAAAAAAAAAA_" + "A".repeat(43)))) {
            Answer answer = caller.send(post(caller, HELLO)).expect(401);
            assertThat(answer.problem()).isEqualTo("unauthorized");
            assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
        }
        Answer header = nobody.send(post(nobody, HELLO).header("X-API-Key", server.adminKey()));
        header.expect(200);
    }

    @Test
    void aSessionIsItsOwnersAlone() {
        String session = session(api);
        Api other = api.as(api.post("/api/v1/api-keys", "{\"name\":\"other\",\"roles\":[\"admin\"]}")
                .expect(201)
                .json()
                .path("key")
                .asText());
        String ping = message(1, "ping", "{}");
        assertThat(ask(other, session, ping).expect(404).problem()).isEqualTo("not-found");
        assertThat(other.send(other.request(Agent.DOOR).header(SESSION, session).DELETE())
                        .status())
                .isEqualTo(404);
        assertThat(ask(api, UUID.randomUUID().toString(), ping).expect(404).problem())
                .isEqualTo("not-found");
        assertThat(api.send(post(api, ping)).expect(400).problem()).isEqualTo("validation");
        ask(api, session, ping).expect(200);
        api.send(api.request(Agent.DOOR).header(SESSION, session).DELETE()).expect(204);
        ask(api, session, ping).expect(404);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {                                                                        | 400 | -32700
            ``                                                                       | 400 | -32600
            []                                                                       | 400 | -32600
            [{"jsonrpc":"2.0","id":1,"method":"ping"}]                               | 400 | -32600
            {"jsonrpc":"2.0","id":null,"method":"ping"}                              | 400 | -32600
            {"jsonrpc":"2.0","id":1,"method":5}                                      | 400 | -32600
            {"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}                    | 400 | -32600
            {"jsonrpc":"2.0","id":1,"method":"resources/list"}                       | 200 | -32601
            {"jsonrpc":"2.0","id":1,"method":"no/such"}                              | 200 | -32601
            {"jsonrpc":"2.0","id":1,"method":"tools/call"}                           | 200 | -32602
            {"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":{}}} | 200 | -32602
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{}}}      | 200 | -32602
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}    | 200 | -32602
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":"return mcp_wire"}}                  | 200 | -32602
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"mcp_wire"},"_meta":[]}}     | 200 | -32602
            """)
    void whatIsNoMessageIsAnErrorOfTheProtocol(String body, int status, int code) {
        String session = session(api);
        List<String> before = ours();
        Answer answer = ask(api, session, body).expect(status);
        assertThat(answer.header("Content-Type")).startsWith("application/json");
        assertThat(answer.json().at("/error/code").asInt()).isEqualTo(code);
        isDiscreet(answer);
        assertThat(ours()).isEqualTo(before);
    }

    /** The executions that only these tests submit: others have begun on this server, and what they begin may come now. */
    private List<String> ours() {
        return api.ids(item -> item.path("codePreview").asText().isBlank()
                || item.path("codePreview").asText().contains("mcp_wire"));
    }

    private static void isDiscreet(Answer answer) {
        assertThat(answer.text()).doesNotContain("Exception", "java.", "io.modelcontextprotocol", "fasterxml", "\tat ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                | code
            {"code":7}                                        | code
            {"code":" "}                                      | code
            {"code":"return mcp_wire","language":"cobol"}            | language
            {"code":"return mcp_wire","grants":"*"}                  | grants
            {"code":"return mcp_wire","limits":{"wallMillis":-1}}    | wallMillis
            {"code":"return mcp_wire","limits":{"wallMillis":1e18}}  | wallMillis
            {"code":"return mcp_wire","limits":{"wall":1}}           | wall
            {"code":"return mcp_wire","priority":"5"}                | priority
            {"code":"return mcp_wire","waitSeconds":"5"}             | waitSeconds
            {"code":"return mcp_wire","waitSeconds":-1}              | waitSeconds
            {"code":"return mcp_wire","idempotencyKey":"a\\nb"}      | Idempotency-Key
            {"code":"return mcp_wire","mode":"inprocess"}            | mode
            """)
    void wrongArgumentsAreNamedAsThoseOfRestAre(String arguments, String member) {
        String session = session(api);
        List<String> before = ours();
        Answer answer = ask(
                        api,
                        session,
                        message(1, "tools/call", "{\"name\":\"run_script\",\"arguments\":" + arguments + "}"))
                .expect(200);
        assertThat(answer.json().at("/result/isError").asBoolean()).isTrue();
        assertThat(answer.json().at("/result/structuredContent/error/code").asText())
                .isEqualTo("validation");
        assertThat(answer.json().at("/result/structuredContent/error/message").asText())
                .contains(member);
        isDiscreet(answer);
        assertThat(ours()).isEqualTo(before);
    }

    @Test
    void aRequestThatIsNoneOfThisDoorsIsAProblem() {
        String session = session(api);
        String ping = message(1, "ping", "{}");
        HttpRequest.Builder plain = api.request(Agent.DOOR).header(SESSION, session);
        assertThat(api.send(plain.copy().header("Accept", "text/event-stream").GET())
                        .expect(405)
                        .header("Allow"))
                .isEqualTo("POST, DELETE");
        assertThat(api.send(plain.copy()
                                .header("Content-Type", "text/plain")
                                .header("Accept", BOTH)
                                .POST(Api.body(ping)))
                        .expect(415)
                        .problem())
                .isEqualTo("unsupported-media-type");
        assertThat(api.send(plain.copy()
                                .header("Content-Type", "application/json")
                                .header("Accept", "text/html")
                                .POST(Api.body(ping)))
                        .expect(406)
                        .problem())
                .isEqualTo("not-acceptable");
        assertThat(api.send(post(api, ping).header(SESSION, session).header("MCP-Protocol-Version", "1999-01-01"))
                        .expect(400)
                        .text())
                .contains("2025-11-25");
        api.send(post(api, ping).header(SESSION, session).header("MCP-Protocol-Version", "2025-06-18"))
                .expect(200);
        for (String origin : List.of("https://evil.example", "http://127.0.0.1:8080", "null")) {
            Answer answer = api.send(post(api, ping).header(SESSION, session).header("Origin", origin))
                    .expect(403);
            assertThat(answer.problem()).isEqualTo("forbidden");
            assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
        }
        String large = message(1, "tools/call", "{\"name\":\"" + "x".repeat(5 << 20) + "\"}");
        assertThat(ask(api, session, large).expect(413).problem()).isEqualTo("payload-too-large");
        Answer unsized = api.send(plain.copy()
                .header("Content-Type", "application/json")
                .header("Accept", BOTH)
                .POST(BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8)))));
        unsized.expect(413);
    }

    private static final String PRINTS_AND_SLEEPS = "console.log(args); await sleep(25000)";

    private String awaitPrinted(String mark) {
        return Await.value(
                "it runs",
                SOON,
                () -> api.ids().stream()
                        .limit(20)
                        .filter(id -> api.execution(id).path("args").asText().equals(mark))
                        .findFirst());
    }

    private static String sleeper(Object id, String mark) {
        return message(
                id,
                "tools/call",
                "{\"name\":\"run_script\",\"arguments\":{\"code\":\"" + PRINTS_AND_SLEEPS + "\",\"args\":\"" + mark
                        + "\",\"waitSeconds\":50},\"_meta\":{\"progressToken\":1}}");
    }

    @Test
    void aRequestThatIsTakenBackCancelsItsExecutionAndGetsNoAnswer() {
        String session = session(api);
        for (Object id : List.of("text", 12)) {
            String mark = UUID.randomUUID().toString();
            CompletableFuture<Answer> running =
                    api.sendAsync(post(api, sleeper(id, mark)).header(SESSION, session));
            String execution = awaitPrinted(mark);
            api.awaitRunning(execution);
            assertThat(ask(api, session, sleeper(id, mark)).expect(400).text()).contains("open");
            String shown = id instanceof String text ? '"' + text + '"' : String.valueOf(id);
            ask(
                            api,
                            session,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
                                    + shown + ",\"reason\":\"enough\"}}")
                    .expect(202);
            assertThat(api.awaitEnd(execution).path("state").asText()).isEqualTo("CANCELLED");
            Answer answer = running.join();
            assertThat(answer.text())
                    .contains("notifications/progress", execution)
                    .doesNotContain("\"result\"");
        }
        ask(api, session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}")
                .expect(202);
    }

    @Test
    void aClientThatGoesAwayLosesNothing() throws IOException {
        String session = session(api);
        String mark = UUID.randomUUID().toString();
        String execution = leave(session, mark, 3_000);
        JsonNode ended = api.awaitEnd(execution);
        assertThat(ended.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(ended.path("result").asText()).isEqualTo(mark);
        ask(api, session, message(2, "ping", "{}")).expect(200);
    }

    @Test
    void whoHasLostHisConnectionCanStillTakeHisRequestBack() throws IOException {
        String session = session(api);
        String execution = leave(session, UUID.randomUUID().toString(), 60_000);
        // The server sees that the client has gone when it next has something to tell him: both before and after that
        // it counts.
        Await.until("the cancel is heard", SOON, () -> {
            ask(
                            api,
                            session,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"gone\"}}")
                    .expect(202);
            return Api.ended(api.execution(execution));
        });
        assertThat(api.execution(execution).path("state").asText()).isEqualTo("CANCELLED");
    }

    /** Runs a script over a connection that ends while it runs; its execution. */
    private String leave(String session, String mark, int millis) throws IOException {
        byte[] body = message(
                        "gone",
                        "tools/call",
                        "{\"name\":\"run_script\",\"arguments\":{\"code\":\"await sleep(" + millis
                                + "); return args\",\"args\":\"" + mark + "\"},\"_meta\":{\"progressToken\":1}}")
                .getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket(server.url().getHost(), server.url().getPort())) {
            socket.getOutputStream()
                    .write(("POST " + Agent.DOOR
                                    + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
                                    + BOTH + "\r\nAuthorization: Bearer " + server.adminKey() + "\r\n" + SESSION + ": "
                                    + session + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
            socket.getOutputStream().flush();
            awaitPrinted(mark);
        }
        return awaitPrinted(mark);
    }

    @Test
    void manyWaitAtOneTimeAndOthersAreAnsweredMeanwhile() {
        String session = session(api);
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            waiting.add(api.sendAsync(post(api, run("many " + i, "await sleep(12000); return " + i, ""))
                    .header(SESSION, session)));
        }
        long begun = System.nanoTime();
        ask(api, session, message("quick", "ping", "{}")).expect(200);
        api.get("/api/v1/tools").expect(200);
        Timing.assertAtMostSince(begun, Duration.ofSeconds(10));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        for (int i = 0; i < 40; i++) {
            assertThat(waiting.get(i).join().expect(200).text()).contains("\"result\":" + i, "COMPLETED");
        }
    }
}
