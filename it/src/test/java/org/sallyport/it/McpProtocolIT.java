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
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.McpTestClient;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.TestJson;
import org.sallyport.testsupport.TimingAssertions;

/**
 * The MCP endpoint, request by request: the service rejects invalid messages with an error, and they have no effect.
 */
@ExtendWith(ServerExtension.class)
class McpProtocolIT {
    private static final String ACCEPT_BOTH = "application/json, text/event-stream";
    private static final String SESSION_HEADER = "Mcp-Session-Id";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final SallyportServer server;
    private final RestClient api;

    McpProtocolIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    private static HttpRequest.Builder postRequest(RestClient caller, String body) {
        return caller.request(McpTestClient.MCP_PATH)
                .header("Content-Type", "application/json")
                .header("Accept", ACCEPT_BOTH)
                .POST(RestClient.body(body));
    }

    private static String message(Object id, String method, String params) {
        String shown = id instanceof String text ? '"' + text + '"' : String.valueOf(id);
        return "{\"jsonrpc\":\"2.0\",\"id\":" + shown + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    private static final String INITIALIZE_REQUEST = message(
            "hello",
            "initialize",
            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"plain\","
                    + "\"version\":\"1\"}}");

    private static String openSession(RestClient caller) {
        RestResponse answer =
                caller.send(postRequest(caller, INITIALIZE_REQUEST)).expectStatus(200);
        assertThat(answer.json().at("/result/protocolVersion").asText()).isEqualTo("2025-11-25");
        assertThat(answer.json().path("id").asText()).isEqualTo("hello");
        assertThat(answer.header(SESSION_HEADER)).isNotEmpty();
        return answer.header(SESSION_HEADER);
    }

    private static RestResponse sendInSession(RestClient caller, String session, String body) {
        return caller.send(postRequest(caller, body).header(SESSION_HEADER, session));
    }

    private static String runScriptRequest(Object id, String code, String more) {
        ObjectNode arguments = TestJson.object().put("code", code);
        return message(
                id, "tools/call", "{\"name\":\"run_script\",\"arguments\":" + TestJson.write(arguments) + more + "}");
    }

    @Test
    void shortResponseIsJsonAndLongResponseIsAnEventStream() {
        String session = openSession(api);
        RestResponse answer =
                sendInSession(api, session, message(7, "tools/list", "{}")).expectStatus(200);
        assertThat(answer.header("Content-Type")).startsWith("application/json");
        assertThat(answer.json().path("id").asInt()).isEqualTo(7);
        assertThat(answer.header("Cache-Control")).contains("no-store");
        RestResponse stream = sendInSession(
                        api, session, runScriptRequest("long", "await sleep(1500); return 'é\\ud800'", ""))
                .expectStatus(200);
        assertThat(stream.header("Content-Type")).startsWith("text/event-stream");
        assertThat(stream.text()).contains("\"id\":\"long\"", "COMPLETED", "é\ufffd");
        sendInSession(api, session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                .expectStatus(202);
        sendInSession(api, session, "{\"jsonrpc\":\"2.0\",\"id\":\"nobody\",\"result\":{}}")
                .expectStatus(202);
    }

    @Test
    void nullMembersAreTakenAsAbsent() {
        String session = openSession(api);

        sendInSession(api, session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":null}")
                .expectStatus(202);
        RestResponse listed = sendInSession(api, session, message(1, "tools/list", "null"));
        RestResponse ran =
                sendInSession(api, session, runScriptRequest(2, "return 2", ",\"_meta\":{\"progressToken\":null}"));
        RestResponse withoutArguments = sendInSession(
                api, session, message(3, "tools/call", "{\"name\":\"list_executions\",\"arguments\":null}"));

        assertThat(listed.expectStatus(200).json().at("/result/tools")).isNotEmpty();
        assertThat(ran.expectStatus(200).text()).contains("COMPLETED");
        assertThat(withoutArguments.expectStatus(200).text())
                .contains("structuredContent")
                .doesNotContain("\"isError\":true");
    }

    @Test
    void requestWithoutAValidKeyIsRefused() {
        RestClient nobody = api.withoutKey();
        for (RestClient caller :
                List.of(nobody, api.withKey("sp_x"), api.withKey("sp_AAAAAAAAAAAA_" + "A".repeat(43)))) {
            RestResponse answer =
                    caller.send(postRequest(caller, INITIALIZE_REQUEST)).expectStatus(401);
            assertThat(answer.problemType()).isEqualTo("unauthorized");
            assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
        }
        RestResponse header =
                nobody.send(postRequest(nobody, INITIALIZE_REQUEST).header("X-API-Key", server.adminKey()));
        header.expectStatus(200);
    }

    @Test
    void sessionIsUsableOnlyByItsOwner() {
        String session = openSession(api);
        RestClient other = api.withKey(api.post("/api/v1/api-keys", "{\"name\":\"other\",\"roles\":[\"admin\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText());
        String ping = message(1, "ping", "{}");
        assertThat(sendInSession(other, session, ping).expectStatus(404).problemType())
                .isEqualTo("not-found");
        assertThat(other.send(other.request(McpTestClient.MCP_PATH)
                                .header(SESSION_HEADER, session)
                                .DELETE())
                        .status())
                .isEqualTo(404);
        assertThat(sendInSession(api, UUID.randomUUID().toString(), ping)
                        .expectStatus(404)
                        .problemType())
                .isEqualTo("not-found");
        assertThat(api.send(postRequest(api, ping)).expectStatus(400).problemType())
                .isEqualTo("validation");
        sendInSession(api, session, ping).expectStatus(200);
        api.send(api.request(McpTestClient.MCP_PATH)
                        .header(SESSION_HEADER, session)
                        .DELETE())
                .expectStatus(204);
        sendInSession(api, session, ping).expectStatus(404);
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
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":"return \
            mcp_wire"}}                  | 200 | -32602
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script",\
            "arguments":{"code":"mcp_wire"},"_meta":[]}}     | 200 | -32602
            """)
    void invalidMessageGivesAJsonRpcError(String body, int status, int code) {
        String session = openSession(api);
        List<String> before = ownExecutions();
        RestResponse answer = sendInSession(api, session, body).expectStatus(status);
        assertThat(answer.header("Content-Type")).startsWith("application/json");
        assertThat(answer.json().at("/error/code").asInt()).isEqualTo(code);
        assertNoInternals(answer);
        assertThat(ownExecutions()).isEqualTo(before);
    }

    /**
     * Ids of the executions that only these tests could have created. The filter is necessary because other tests share
     * this server.
     */
    private List<String> ownExecutions() {
        return api.listExecutionIds(item -> item.path("codePreview").asText().isBlank()
                || item.path("codePreview").asText().contains("mcp_wire"));
    }

    private static void assertNoInternals(RestResponse answer) {
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
            {"code":"return mcp_wire","includeTrace":"yes"}          | includeTrace
            """)
    void invalidArgumentsAreNamedAsInRest(String arguments, String member) {
        String session = openSession(api);
        List<String> before = ownExecutions();
        RestResponse answer = sendInSession(
                        api,
                        session,
                        message(1, "tools/call", "{\"name\":\"run_script\",\"arguments\":" + arguments + "}"))
                .expectStatus(200);
        assertThat(answer.json().at("/result/isError").asBoolean()).isTrue();
        assertThat(answer.json().at("/result/structuredContent/error/code").asText())
                .isEqualTo("validation");
        assertThat(answer.json().at("/result/structuredContent/error/message").asText())
                .contains(member);
        assertNoInternals(answer);
        assertThat(ownExecutions()).isEqualTo(before);
    }

    @Test
    void unsupportedHttpRequestIsRefusedWithAProblem() {
        String session = openSession(api);
        String ping = message(1, "ping", "{}");
        HttpRequest.Builder plain = api.request(McpTestClient.MCP_PATH).header(SESSION_HEADER, session);
        assertThat(api.send(plain.copy().header("Accept", "text/event-stream").GET())
                        .expectStatus(405)
                        .header("Allow"))
                .isEqualTo("POST, DELETE");
        assertThat(api.send(plain.copy()
                                .header("Content-Type", "text/plain")
                                .header("Accept", ACCEPT_BOTH)
                                .POST(RestClient.body(ping)))
                        .expectStatus(415)
                        .problemType())
                .isEqualTo("unsupported-media-type");
        assertThat(api.send(plain.copy()
                                .header("Content-Type", "application/json")
                                .header("Accept", "text/html")
                                .POST(RestClient.body(ping)))
                        .expectStatus(406)
                        .problemType())
                .isEqualTo("not-acceptable");
        assertThat(api.send(postRequest(api, ping)
                                .header(SESSION_HEADER, session)
                                .header("MCP-Protocol-Version", "1999-01-01"))
                        .expectStatus(400)
                        .text())
                .contains("2025-11-25");
        api.send(postRequest(api, ping).header(SESSION_HEADER, session).header("MCP-Protocol-Version", "2025-06-18"))
                .expectStatus(200);
        for (String origin : List.of("https://evil.example", "http://127.0.0.1:8080", "null")) {
            RestResponse answer = api.send(postRequest(api, ping)
                            .header(SESSION_HEADER, session)
                            .header("Origin", origin))
                    .expectStatus(403);
            assertThat(answer.problemType()).isEqualTo("forbidden");
            assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
        }
        String large = message(1, "tools/call", "{\"name\":\"" + "x".repeat(5 << 20) + "\"}");
        assertThat(sendInSession(api, session, large).expectStatus(413).problemType())
                .isEqualTo("payload-too-large");
        RestResponse unsized = api.send(plain.copy()
                .header("Content-Type", "application/json")
                .header("Accept", ACCEPT_BOTH)
                .POST(BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8)))));
        unsized.expectStatus(413);
    }

    private static final String PRINTS_AND_SLEEPS = "console.log(args); await sleep(25000)";

    private String awaitExecution(String mark) {
        return Await.untilPresent(
                "it runs",
                TIMEOUT,
                () -> api.listExecutionIds().stream()
                        .limit(20)
                        .filter(id -> api.getExecution(id).path("args").asText().equals(mark))
                        .findFirst());
    }

    private static String sleepRequest(Object id, String mark) {
        return message(
                id,
                "tools/call",
                "{\"name\":\"run_script\",\"arguments\":{\"code\":\"" + PRINTS_AND_SLEEPS + "\",\"args\":\"" + mark
                        + "\",\"waitSeconds\":50},\"_meta\":{\"progressToken\":1}}");
    }

    @Test
    void cancelledRequestCancelsItsExecutionAndGetsNoResult() {
        String session = openSession(api);
        for (Object id : List.of("text", 12)) {
            String mark = UUID.randomUUID().toString();
            CompletableFuture<RestResponse> running =
                    api.sendAsync(postRequest(api, sleepRequest(id, mark)).header(SESSION_HEADER, session));
            String execution = awaitExecution(mark);
            api.awaitRunning(execution);
            assertThat(sendInSession(api, session, sleepRequest(id, mark))
                            .expectStatus(400)
                            .text())
                    .contains("open");
            String shown = id instanceof String text ? '"' + text + '"' : String.valueOf(id);
            sendInSession(
                            api,
                            session,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
                                    + shown + ",\"reason\":\"enough\"}}")
                    .expectStatus(202);
            assertThat(api.awaitEnd(execution).path("state").asText()).isEqualTo("CANCELLED");
            RestResponse answer = running.join();
            assertThat(answer.text())
                    .contains("notifications/progress", execution)
                    .doesNotContain("\"result\"");
        }
        sendInSession(api, session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}")
                .expectStatus(202);
    }

    @Test
    void cancelledRequestCancelsItsBatch() {
        String session = openSession(api);
        String mark = UUID.randomUUID().toString();
        String request = message(
                7,
                "tools/call",
                "{\"name\":\"run_batch\",\"arguments\":{\"items\":[{\"args\":\"" + mark
                        + "\"},{}],\"defaults\":{\"code\":\"" + PRINTS_AND_SLEEPS
                        + "\"},\"waitSeconds\":50}}");
        CompletableFuture<RestResponse> running =
                api.sendAsync(postRequest(api, request).header(SESSION_HEADER, session));
        String execution = awaitExecution(mark);
        String batch = api.getExecution(execution).path("batch").asText();
        sendInSession(
                        api,
                        session,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}")
                .expectStatus(202);

        assertThat(api.awaitEnd(execution).path("state").asText()).isEqualTo("CANCELLED");
        Await.until(
                "all its executions end",
                TIMEOUT,
                () -> api.get("/api/v1/batches/" + batch)
                        .json()
                        .path("counts")
                        .toString()
                        .equals("{\"CANCELLED\":2}"));
        assertThat(running.join().text()).doesNotContain("\"result\"");
    }

    @Test
    void executionAndSessionSurviveADisconnect() throws IOException {
        String session = openSession(api);
        String mark = UUID.randomUUID().toString();
        String execution = callAndDisconnect(session, mark, 3_000);
        JsonNode ended = api.awaitEnd(execution);
        assertThat(ended.path("state").asText()).isEqualTo("COMPLETED");
        assertThat(ended.path("result").asText()).isEqualTo(mark);
        sendInSession(api, session, message(2, "ping", "{}")).expectStatus(200);
    }

    @Test
    void disconnectedClientCanStillCancelItsRequest() throws IOException {
        String session = openSession(api);
        String execution = callAndDisconnect(session, UUID.randomUUID().toString(), 60_000);
        // The server notices that the client disconnected only when it next writes to it. The cancel takes effect both
        // before and after that.
        Await.until("the cancel is heard", TIMEOUT, () -> {
            sendInSession(
                            api,
                            session,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                                    + "\"params\":{\"requestId\":\"gone\"}}")
                    .expectStatus(202);
            return RestClient.isFinished(api.getExecution(execution));
        });
        assertThat(api.getExecution(execution).path("state").asText()).isEqualTo("CANCELLED");
    }

    /** Runs a script over a connection that closes while the script runs. Returns the id of the execution. */
    private String callAndDisconnect(String session, String mark, int millis) throws IOException {
        byte[] body = message(
                        "gone",
                        "tools/call",
                        "{\"name\":\"run_script\",\"arguments\":{\"code\":\"await sleep(" + millis
                                + "); return args\",\"args\":\"" + mark + "\"},\"_meta\":{\"progressToken\":1}}")
                .getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket(server.url().getHost(), server.url().getPort())) {
            socket.getOutputStream()
                    .write(("POST " + McpTestClient.MCP_PATH
                                    + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
                                    + ACCEPT_BOTH + "\r\nAuthorization: Bearer " + server.adminKey() + "\r\n"
                                    + SESSION_HEADER + ": "
                                    + session + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
            socket.getOutputStream().flush();
            awaitExecution(mark);
        }
        return awaitExecution(mark);
    }

    @Test
    void manyWaitingRequestsDoNotDelayOthers() {
        String session = openSession(api);
        List<CompletableFuture<RestResponse>> waiting = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            waiting.add(
                    api.sendAsync(postRequest(api, runScriptRequest("many " + i, "await sleep(12000); return " + i, ""))
                            .header(SESSION_HEADER, session)));
        }
        long begun = System.nanoTime();
        sendInSession(api, session, message("quick", "ping", "{}")).expectStatus(200);
        api.get("/api/v1/tools").expectStatus(200);
        TimingAssertions.assertAtMostSince(begun, Duration.ofSeconds(10));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        for (int i = 0; i < 40; i++) {
            assertThat(waiting.get(i).join().expectStatus(200).text()).contains("\"result\":" + i, "COMPLETED");
        }
    }
}
