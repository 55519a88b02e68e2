package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.connector.http.HttpBackendFixture.details;
import static org.sallyport.connector.http.HttpBackendFixture.error;
import static org.sallyport.connector.http.HttpBackendFixture.redirect;
import static org.sallyport.connector.http.HttpBackendFixture.respond;
import static org.sallyport.connector.http.HttpBackendFixture.value;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.connector.BackendConnection;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/** Redirects within an origin and to another one, and answers that are cut. */
class HttpRedirectTest {
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<String> headers = Collections.synchronizedList(new ArrayList<>());
    private final List<String> foreignRequests = Collections.synchronizedList(new ArrayList<>());
    private HttpBackendFixture fixture;
    private HttpBackendFixture foreign;

    @BeforeEach
    void start() throws IOException {
        fixture = new HttpBackendFixture(this::answer);
        foreign = new HttpBackendFixture(exchange -> {
            foreignRequests.add(describe(exchange) + describeHeaders(exchange));
            respond(exchange, 200, "\"foreign\"");
        });
    }

    @AfterEach
    void stop() {
        fixture.close();
        foreign.close();
    }

    private static String describe(HttpExchange exchange) throws IOException {
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        return exchange.getRequestMethod() + " " + exchange.getRequestURI() + (type == null ? "" : " " + type) + " "
                + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static String describeHeaders(HttpExchange exchange) {
        return exchange.getRequestHeaders().getFirst("X-Own") + " "
                + exchange.getRequestHeaders().getFirst("X-Note") + " "
                + exchange.getRequestHeaders().getFirst("Idempotency-Key");
    }

    private void answer(HttpExchange exchange) throws IOException {
        requests.add(describe(exchange));
        headers.add(describeHeaders(exchange));
        String path = exchange.getRequestURI().getPath();
        String[] steps = path.split("/");
        switch (steps[1]) {
            case "to" -> redirect(exchange, Integer.parseInt(steps[2]), "/items/");
            case "steps" -> {
                int left = Integer.parseInt(steps[2]);
                redirect(exchange, 307, left == 1 ? "/items/" : "/steps/" + (left - 1));
            }
            case "foreign" -> redirect(exchange, Integer.parseInt(steps[2]), foreign.base() + "/x");
            case "closed" -> redirect(exchange, 307, "http://127.0.0.1:1/x");
            case "denied" -> redirect(exchange, 307, "http://host.example/x");
            case "page" -> respond(exchange, 307, "p".repeat(100_000), "Location", "/items/");
            case "empty" -> respond(exchange, Integer.parseInt(steps[2]), "", "Location", "");
            case "status" -> respond(exchange, Integer.parseInt(steps[2]), "");
            case "choices" -> respond(exchange, 300, "[]", "Location", "/items/");
            case "umlaut" -> redirect(exchange, 307, "/gr\u00c3\u00b6\u00c3\u009fe x/[1]");
            default -> respond(exchange, 200, "\"ok\"");
        }
    }

    private BackendConnection open(String method, String path) {
        return fixture.openOperations(
                "{\"call\":{\"method\":\"" + method + "\",\"path\":\"" + path
                        + "\",\"headers\":{\"X-Note\":\"{note}\"}}}",
                ",\"headers\":{\"X-Own\":\"o\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, 301",
        "GET, 302",
        "GET, 303",
        "GET, 307",
        "GET, 308",
        "HEAD, 301",
        "POST, 307",
        "PUT, 308",
        "DELETE, 307"
    })
    void redirectIsFollowedWithTheMethodTheHeadersAndTheBody(String method, int status) {
        BackendConnection backend = open(method, "/to/" + status);
        value(backend, "call", "{\"note\":\"n\"}");
        String body = method.startsWith("P") ? " application/json {}" : " ";
        String key = method.equals("GET") || method.equals("HEAD") ? "null" : "e/1";
        assertThat(requests).containsExactly(method + " /to/" + status + body, method + " /items/" + body);
        assertThat(headers).containsExactly("o n " + key, "o n " + key);
    }

    @Test
    void operationOfADocumentIsRedirectedWithItsBody() {
        BackendConnection backend = fixture.openDocument(
                "{\"/to/307\":{\"put\":{\"operationId\":\"a\",\"requestBody\":{\"content\":"
                        + "{\"application/vnd.x+json\":{}}}}}}",
                "");
        value(backend, "a", "{\"body\":{\"a\":1}}");
        assertThat(requests)
                .containsExactly(
                        "PUT /to/307 application/vnd.x+json {\"a\":1}", "PUT /items/ application/vnd.x+json {\"a\":1}");
    }

    @Test
    void bodyOfAGetIsRepeatedWithinTheOrigin() {
        BackendConnection backend =
                fixture.openOperations("{\"call\":{\"method\":\"GET\",\"path\":\"/to/308\",\"body\":\"q\"}}");
        value(backend, "call", "{\"q\":1}");
        assertThat(requests).containsExactly("GET /to/308 application/json 1", "GET /items/ application/json 1");
    }

    @Test
    void locationIsReadAsBytes() {
        value(open("POST", "/umlaut"), "call", "{}");
        assertThat(requests.get(1)).startsWith("POST /gr%C3%B6%C3%9Fe%20x/%5B1%5D ");
    }

    @Test
    void fiveRedirectsAreFollowed() {
        value(open("POST", "/steps/5"), "call", "{}");
        assertThat(requests).hasSize(6);
        assertThat(error(open("POST", "/steps/6"), "call", "{}").message()).contains("more than 5 times");
        assertThat(requests).hasSize(12);
    }

    @Test
    void headersAreNotSentToAnotherOrigin() {
        assertThat(value(open("GET", "/foreign/302"), "call", "{\"note\":\"n\"}"))
                .isEqualTo("\"foreign\"");
        assertThat(headers).containsExactly("o n null");
        assertThat(foreignRequests).containsExactly("GET /x null null null");
    }

    @Test
    void bodyIsNotSentToAnotherOrigin() {
        BackendConnection get =
                fixture.openOperations("{\"call\":{\"method\":\"GET\",\"path\":\"/foreign/307\",\"body\":\"q\"}}");
        for (BackendConnection backend : List.of(get, open("POST", "/foreign/307"), open("DELETE", "/foreign/308"))) {
            ToolError error = error(backend, "call", "{\"q\":1}");
            assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
            assertThat(error.message()).contains("to another origin");
        }
        assertThat(foreignRequests).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"POST, 301", "POST, 302", "PUT, 303", "DELETE, 302"})
    void redirectThatMayFollowAnEffectIsAnAnswer(String method, int status) {
        ToolError error = error(open(method, "/to/" + status), "call", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message())
                .contains(
                        "status " + status,
                        "'/items/'",
                        method + " follows only redirects with status 307 and 308; it may have had its effect");
        assertThat(details(error).path("status").asInt()).isEqualTo(status);
        assertThat(details(error).at("/headers/location").asText()).isEqualTo("/items/");
        assertThat(requests).hasSize(1);
    }

    @Test
    void getWithAnEffectFollowsNoRedirectThatMayFollowIt() {
        String operation = "{\"call\":{\"method\":\"GET\",\"path\":\"/to/302\",\"readOnly\":false}}";
        ToolError error = error(fixture.openOperations(operation), "call", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(requests).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /status/302, 302",
        "POST, /status/302, 302",
        "GET, /empty/302, 302",
        "POST, /empty/307, 307",
        "GET, /choices, 300",
        "POST, /choices, 300",
        "GET, /status/305, 305"
    })
    void redirectWithoutATargetIsAnError(String method, String path, int status) {
        ToolError error = error(open(method, path), "call", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message()).contains("answered with status " + status);
        assertThat(details(error).path("status").asInt()).isEqualTo(status);
        assertThat(requests).hasSize(1);
    }

    @Test
    void unchangedAnswerIsNull() {
        assertThat(value(open("GET", "/status/304"), "call", "{}")).isEqualTo("null");
    }

    @Test
    void redirectWithALongPageIsFollowed() {
        value(open("POST", "/page"), "call", "{}");
        assertThat(requests.get(1)).startsWith("POST /items/ ");
    }

    @Test
    void targetThatMayNotBeCalledIsNamed() {
        ToolError denied = error(open("GET", "/denied"), "call", "{}");
        assertThat(denied.code()).isEqualTo(ToolErrorCode.EGRESS_DENIED);
        assertThat(denied.message())
                .contains("status 307", "http://host.example/x", "not in the list of allowed hosts");
        assertThat(details(denied).path("status").asInt()).isEqualTo(307);
        ToolError effect = error(open("POST", "/denied"), "call", "{}");
        assertThat(effect.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(effect.message()).contains("not in the list of allowed hosts");
        assertThat(error(open("GET", "/closed"), "call", "{}").code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
    }

    /** Answers one request after the other on connections of their own, and closes each behind its answer. */
    private ServerSocket answerInTurn(String... answers) throws IOException {
        ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        fixture.executor().execute(() -> {
            for (String answer : answers) {
                try (Socket socket = listening.accept()) {
                    readRequest(socket.getInputStream());
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    requests.add(e.toString());
                }
            }
        });
        return listening;
    }

    private static void readRequest(InputStream in) throws IOException {
        StringBuilder request = new StringBuilder();
        while (request.indexOf("\r\n\r\n{}") < 0) {
            int read = in.read();
            if (read < 0) {
                throw new IOException("the request ended early");
            }
            request.append((char) read);
        }
    }

    private ToolError post(ServerSocket listening) {
        return error(
                fixture.open("{\"baseUrl\":\"http://127.0.0.1:" + listening.getLocalPort()
                        + "\",\"allowPrivate\":true,\"operations\":{\"post\":{\"method\":\"POST\",\"path\":\"/\"}}}"),
                "post",
                "{}");
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 403, 500})
    void answerWhoseBodyIsCutIsAnAnswer(int status) throws IOException {
        try (ServerSocket listening = answerInTurn("HTTP/1.1 " + status + " No\r\nConnection: close\r\n"
                + "Location: /x\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\npart")) {
            ToolError cut = post(listening);
            assertThat(cut.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
            assertThat(details(cut).path("status").asInt()).isEqualTo(status);
            assertThat(details(cut).path("body").asText()).isEqualTo("part");
        }
    }

    @Test
    void redirectedRequestThatIsNotAcceptedHadNoEffect() throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            fixture.executor().execute(() -> {
                try (Socket socket = listening.accept()) {
                    listening.close();
                    readRequest(socket.getInputStream());
                    socket.getOutputStream()
                            .write("HTTP/1.1 307 No\r\nConnection: close\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    requests.add(e.toString());
                }
            });
            assertThat(post(listening).code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        }
    }

    @Test
    void lostAnswerToARedirectedRequestIsUnknown() throws IOException {
        String redirect = "HTTP/1.1 307 No\r\nConnection: close\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n";
        try (ServerSocket listening = answerInTurn(redirect, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")) {
            assertThat(post(listening).code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN);
        }
    }
}
