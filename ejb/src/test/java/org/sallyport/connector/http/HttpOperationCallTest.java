package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Requests of operations of documents and of settings to a server on the loopback interface, and its answers. */
class HttpOperationCallTest {
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<String> credentials = Collections.synchronizedList(new ArrayList<>());
    private final List<BackendConnection> opened = new ArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        opened.forEach(BackendConnection::close);
        server.stop(0);
        executor.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1);
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI()
                + (type == null ? "" : " " + type.replaceAll("boundary=.*", "boundary=…")) + " "
                + body.replaceAll("--sallyport-\\w+", "--…"));
        credentials.add(exchange.getRequestHeaders().getFirst("X-Own") + " "
                + exchange.getRequestHeaders().getFirst("X-Key") + " "
                + exchange.getRequestHeaders().getFirst("Authorization"));
        String path = exchange.getRequestURI().getPath();
        switch (path) {
            case "/items" -> redirect(exchange, 307, "/items/");
            case "/found" -> redirect(exchange, 302, "/items/");
            case "/other" -> redirect(exchange, 308, "/items");
            case "/away" -> redirect(exchange, 307, "http://127.0.0.1:1/items/");
            case "/round" -> redirect(exchange, 307, "/round");
            case "/umlaut" -> redirect(exchange, 307, "/gr\u00c3\u00b6\u00c3\u009fe x/");
            case "/link" -> respond(exchange, 200, "{\"a\":1.50}", "Link", "<http://127.0.0.1/?page=2>; rel=\"next\"");
            case "/created" -> respond(exchange, 201, "", "Location", "/things/7");
            case "/queued" -> respond(exchange, 202, "{\"queued\":true}", "Location", "/jobs/7", "Retry-After", "3");
            case "/busy" -> respond(exchange, 429, "{\"why\":\"busy\"}", "Retry-After", "7", "X-RateLimit-Reset", "1");
            case "/unchanged" -> respond(exchange, 304, "", "ETag", "\"v1\"");
            case "/secret" -> respond(exchange, 200, "{}", "X-Trace", "t", "Set-Cookie", "s=1");
            case "/mistaken" -> respond(exchange, 200, "<html>", "X-Request-Id", "r1");
            case "/huge" -> respond(exchange, 500, "x".repeat(300_000));
            case "/headers" -> respond(exchange, 200, "{}", "X-Long", "y".repeat(100_000));
            default -> respond(exchange, 200, "\"ok\"");
        }
    }

    private static void redirect(HttpExchange exchange, int status, String location) throws IOException {
        respond(exchange, status, "", "Location", location);
    }

    private static void respond(HttpExchange exchange, int status, String body, String... headers) throws IOException {
        for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
        }
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        } catch (IOException e) {
            // The client does not read the whole body.
        }
    }

    private String base() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Opens a backend with the paths of an OpenAPI document. */
    private BackendConnection openDocument(String paths, String settings) {
        return open("{\"baseUrl\":\"" + base() + "\",\"allowPrivate\":true,\"openapi\":{\"document\":"
                + "{\"openapi\":\"3.0.3\",\"paths\":" + paths + "}}" + settings + "}");
    }

    private BackendConnection openOperations(String operations) {
        return open("{\"baseUrl\":\"" + base() + "\",\"allowPrivate\":true,\"operations\":" + operations + "}");
    }

    private BackendConnection open(String settings) {
        HttpBackendType kind = new HttpBackendType(executor, VaultFixtures.NO_SECRETS);
        kind.check(BackendSettings.of(new Json(settings)));
        return start(listener -> kind.open(definition(settings), listener));
    }

    private static BackendDefinition definition(String settings) {
        return new BackendDefinition("api", "http", new Json(settings), true, BackendDefinition.BackendOrigin.API, "1");
    }

    private BackendConnection start(Function<BackendConnection.ConnectionListener, BackendConnection> connection) {
        List<BackendStatus.BackendState> states = Collections.synchronizedList(new ArrayList<>());
        BackendConnection backend = connection.apply(new BackendConnection.ConnectionListener() {
            @Override
            public void onStateChanged(BackendStatus.BackendState state, Optional<String> error) {
                states.add(state);
            }

            @Override
            public void onToolsDeclared(List<ToolDefinition> tools) {}
        });
        opened.add(backend);
        backend.start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!states.contains(BackendStatus.BackendState.READY)) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(5_000_000);
        }
        return backend;
    }

    private static ToolResult call(BackendConnection backend, String tool, String arguments) {
        return backend.call(new BackendConnection.BackendRequest(
                        new CallId("e", 1), tool, new Json(arguments), false, "default", Instant.MAX))
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private static String value(BackendConnection backend, String tool, String arguments) {
        ToolResult result = call(backend, tool, arguments);
        assertThat(result).isInstanceOf(ToolResult.ToolSuccess.class);
        return ((ToolResult.ToolSuccess) result).value().text();
    }

    private static ToolError error(BackendConnection backend, String tool, String arguments) {
        return ((ToolResult.ToolFailure) call(backend, tool, arguments)).error();
    }

    private static JsonNode details(ToolError error) {
        try {
            return ExactJsonMapper.INSTANCE.readTree(
                    error.details().orElseThrow().text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String post(String id, String content) {
        return "\"/" + id + "\":{\"post\":{\"operationId\":\"" + id + "\",\"requestBody\":{\"content\":" + content
                + "}}}";
    }

    @Test
    void bodiesOfADocumentAreSentAsDeclared() {
        BackendConnection backend = openDocument(
                "{" + post("patch", "{\"application/merge-patch+json\":{}}") + ","
                        + post("jsonApi", "{\"application/vnd.api+json\":{}}") + ","
                        + post("both", "{\"application/xml\":{},\"application/json\":{}}") + ","
                        + post(
                                "form",
                                "{\"application/x-www-form-urlencoded\":{\"encoding\":{\"items\":{\"style\":"
                                        + "\"deepObject\",\"explode\":true}}}}")
                        + ","
                        + post(
                                "upload",
                                "{\"multipart/form-data\":{\"schema\":{\"type\":\"object\",\"properties\":"
                                        + "{\"file\":{\"type\":\"string\",\"format\":\"binary\"}}}}}")
                        + "," + post("raw", "{\"image/png\":{}}") + "," + post("text", "{\"text/csv\":{}}")
                        + ",\"/none\":{\"post\":{\"operationId\":\"none\"}}}",
                "");
        value(backend, "patch", "{\"body\":{\"a\":null}}");
        value(backend, "jsonApi", "{\"body\":{\"n\":12345678.90}}");
        value(backend, "both", "{\"body\":[1]}");
        value(backend, "form", "{\"body\":{\"email\":\"a@b.c\",\"items\":[{\"price\":\"p\"}]}}");
        value(backend, "upload", "{\"body\":{\"file\":{\"$base64\":\"QUI=\",\"type\":\"Uint8Array\"}}}");
        value(backend, "raw", "{\"body\":{\"$base64\":\"AP8=\",\"type\":\"Uint8Array\"}}");
        value(backend, "text", "{\"body\":\"a,b\"}");
        value(backend, "raw", "{}");
        value(backend, "none", "{}");
        assertThat(requests)
                .containsExactly(
                        "POST /patch application/merge-patch+json {\"a\":null}",
                        "POST /jsonApi application/vnd.api+json {\"n\":12345678.90}",
                        "POST /both application/json [1]",
                        "POST /form application/x-www-form-urlencoded email=a%40b.c&items[0][price]=p",
                        "POST /upload multipart/form-data; boundary=… --…\r\nContent-Disposition: form-data; "
                                + "name=\"file\"; filename=\"file\"\r\nContent-Type: application/octet-stream\r\n\r\n"
                                + "AB\r\n--…--\r\n",
                        "POST /raw image/png \u0000\u00ff",
                        "POST /text text/csv a,b",
                        "POST /raw ",
                        "POST /none ");
        assertThat(error(backend, "raw", "{\"body\":{}}").code()).isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
    }

    @Test
    void bodiesOfDeclaredOperationsAreSentAsDeclared() {
        BackendConnection backend = openOperations("""
                {"form": {"method": "POST", "path": "/f/{a}", "contentType": "application/x-www-form-urlencoded"},
                 "put": {"method": "PUT", "path": "/p", "body": "file", "contentType": "image/png"},
                 "search": {"method": "GET", "path": "/s", "body": "query"}}
                """);
        value(backend, "form", "{\"a\":1,\"b\":[\"x\",\"y\"],\"c\":{\"d\":2}}");
        value(backend, "put", "{\"file\":{\"content\":{\"$base64\":\"QQ==\"}}}");
        value(backend, "search", "{\"query\":{\"q\":1}}");
        assertThat(requests)
                .containsExactly(
                        "POST /f/1 application/x-www-form-urlencoded b=x&b=y&c=%7B%22d%22%3A2%7D",
                        "PUT /p image/png A", "GET /s application/json {\"q\":1}");
    }

    @Test
    void pathsAndParametersOfADocumentAreSentAsDeclared() {
        String id = "{\"name\":\"id\",\"in\":\"path\",\"required\":true}";
        BackendConnection backend = openDocument(
                "{\"/größe/{id}\":{\"get\":{\"operationId\":\"umlaut\",\"parameters\":[" + id + "]}},"
                        + "\"/a b/c\":{\"get\":{\"operationId\":\"blank\"}},"
                        + "\"/q?fixed=1\":{\"get\":{\"operationId\":\"fixed\",\"parameters\":["
                        + "{\"name\":\"x\",\"in\":\"query\"}]}},"
                        + "\"/n/{id}\":{\"get\":{\"operationId\":\"number\",\"parameters\":[" + id
                        + ",{\"name\":\"min\",\"in\":\"query\"}]},"
                        + "\"delete\":{\"operationId\":\"remove\",\"parameters\":[" + id + "]}},"
                        + "\"/l\":{\"get\":{\"operationId\":\"list\",\"parameters\":["
                        + "{\"name\":\"tags\",\"in\":\"query\",\"explode\":false},"
                        + "{\"name\":\"filter\",\"in\":\"query\",\"style\":\"deepObject\",\"schema\":"
                        + "{\"type\":\"object\"}},{\"name\":\"t[]\",\"in\":\"query\"}]}}}",
                "");
        value(backend, "umlaut", "{\"id\":\"a b\"}");
        value(backend, "blank", "{}");
        value(backend, "fixed", "{\"x\":\"2\"}");
        value(backend, "number", "{\"id\":12345678.9,\"min\":0.00001}");
        value(backend, "list", "{\"tags\":[\"a,b\",\"c d\"],\"filter\":{\"name\":\"x\"},\"t__\":[1,2]}");
        value(backend, "remove", "{\"id\":\"a\"}");
        assertThat(error(backend, "remove", "{\"id\":\"\"}").code()).isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
        assertThat(requests)
                .containsExactly(
                        "GET /gr%C3%B6%C3%9Fe/a%20b ",
                        "GET /a%20b/c ",
                        "GET /q?fixed=1&x=2 ",
                        "GET /n/12345678.9?min=0.00001 ",
                        "GET /l?tags=a%2Cb,c%20d&filter%5Bname%5D=x&t%5B%5D=1&t%5B%5D=2 ",
                        "DELETE /n/a ");
    }

    @Test
    void operationHasItsOwnServerAndCredentials() {
        HttpOperation get = HttpOperation.of(
                "get", BackendSettings.of(new Json("{\"method\":\"GET\",\"path\":\"/a\"}")), ResponseFormat.BODY);
        HttpBackendDefinition declared = new HttpBackendDefinition(
                base(),
                List.of(
                        new HttpCredential("key", "X-Key", "", false, "k"),
                        new HttpCredential("token", "Authorization", "Bearer ", false, "t")),
                Map.of(
                        "all", get,
                        "none", withServerAndCredentials(get, Optional.empty(), Set.of()),
                        "one", withServerAndCredentials(get, Optional.of(base() + "/v2"), Set.of("token"))));
        GuardedHttpClient client = new GuardedHttpClient(
                new EgressGuard(List.of("127.0.0.1"), true, InetAddress::getAllByName), 2, 1_000, Timeout.ofMinutes(1));
        BackendConnection backend = start(listener -> new HttpBackend(
                exchange -> declared,
                Map.of("X-Own", "o"),
                () -> VaultFixtures.NO_SECRETS.resolverFor(definition("{}")),
                client,
                listener,
                executor));
        value(backend, "all", "{}");
        value(backend, "none", "{}");
        value(backend, "one", "{}");
        assertThat(requests).containsExactly("GET /a ", "GET /a ", "GET /v2/a ");
        assertThat(credentials).containsExactly("o k Bearer t", "o null null", "o null Bearer t");
    }

    private static HttpOperation withServerAndCredentials(
            HttpOperation operation, Optional<String> server, Set<String> schemes) {
        return new HttpOperation(
                operation.method(),
                server,
                operation.path(),
                operation.parameters(),
                operation.body(),
                Optional.of(schemes),
                operation.response(),
                operation.resultPointer(),
                operation.definition());
    }

    @Test
    void redirectThatKeepsTheMethodIsFollowedWithTheBody() {
        BackendConnection backend = openOperations("""
                {"create": {"method": "POST", "path": "/items"}, "put": {"method": "PUT", "path": "/other"},
                 "get": {"method": "GET", "path": "/items"}, "umlaut": {"method": "POST", "path": "/umlaut"}}
                """);
        value(backend, "create", "{\"a\":1}");
        value(backend, "put", "{\"b\":2}");
        value(backend, "get", "{}");
        value(backend, "umlaut", "{}");
        assertThat(requests)
                .containsExactly(
                        "POST /items application/json {\"a\":1}",
                        "POST /items/ application/json {\"a\":1}",
                        "PUT /other application/json {\"b\":2}",
                        "PUT /items application/json {\"b\":2}",
                        "PUT /items/ application/json {\"b\":2}",
                        "GET /items ",
                        "GET /items/ ",
                        "POST /umlaut application/json {}",
                        "POST /gr%C3%B6%C3%9Fe%20x/ application/json {}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "found | 302 | /items/                   | follows only those with status 307 and 308",
                "away  | 307 | http://127.0.0.1:1/items/ | to another origin",
                "round | 307 | /round                    | more than 5 times",
            })
    void redirectThatIsNotFollowedIsAnAnswer(String path, int status, String location, String reason) {
        BackendConnection backend = openOperations("{\"create\":{\"method\":\"POST\",\"path\":\"/" + path + "\"}}");
        ToolError error = error(backend, "create", "{}");
        assertThat(error.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(error.message()).contains("status " + status, location, reason);
        assertThat(details(error).path("status").asInt()).isEqualTo(status);
        assertThat(details(error).at("/headers/location").asText()).isEqualTo(location);
        assertThat(requests).hasSize(path.equals("round") ? 6 : 1);
    }

    @Test
    void bodyOfAGetIsNotSentToAnotherOrigin() {
        BackendConnection backend =
                openOperations("{\"search\":{\"method\":\"GET\",\"path\":\"/away\",\"body\":\"q\"}}");
        assertThat(error(backend, "search", "{\"q\":1}").code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
    }

    @Test
    void fullResponsesHaveStatusAndHeaders() {
        BackendConnection backend = openDocument(
                "{\"/link\":{\"get\":{\"operationId\":\"link\"}},\"/created\":{\"post\":{\"operationId\":\"created\"}},"
                        + "\"/queued\":{\"post\":{\"operationId\":\"queued\"}},"
                        + "\"/unchanged\":{\"get\":{\"operationId\":\"unchanged\"}},"
                        + "\"/secret\":{\"get\":{\"operationId\":\"secret\"}}}",
                ",\"response\":\"full\",\"responseHeaders\":[\"X-Trace\"],\"operations\":{"
                        + "\"plain\":{\"method\":\"GET\",\"path\":\"/link\",\"response\":\"body\"}}");
        assertThat(value(backend, "link", "{}"))
                .isEqualTo("{\"status\":200,\"headers\":{\"content-length\":\"10\","
                        + "\"content-type\":\"application/json\","
                        + "\"link\":\"<http://127.0.0.1/?page=2>; rel=\\\"next\\\"\"},\"body\":{\"a\":1.50}}");
        assertThat(value(backend, "created", "{}"))
                .startsWith("{\"status\":201,\"headers\":{")
                .contains("\"location\":\"/things/7\"")
                .endsWith("\"body\":null}");
        assertThat(value(backend, "queued", "{}"))
                .contains("\"status\":202", "\"location\":\"/jobs/7\"", "\"retry-after\":\"3\"")
                .endsWith("\"body\":{\"queued\":true}}");
        assertThat(value(backend, "unchanged", "{}"))
                .contains("\"status\":304", "\"etag\":\"\\\"v1\\\"\"")
                .endsWith("\"body\":null}");
        assertThat(value(backend, "secret", "{}")).contains("\"x-trace\":\"t\"").doesNotContain("cookie");
        assertThat(value(backend, "plain", "{}")).isEqualTo("{\"a\":1.50}");
    }

    @Test
    void errorHasHeadersAndTheTimeToTryAgain() {
        BackendConnection backend = openOperations("""
                {"busy": {"method": "POST", "path": "/busy"},
                 "mistaken": {"method": "POST", "path": "/mistaken"}}
                """);
        ToolError busy = error(backend, "busy", "{}");
        assertThat(busy.code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
        assertThat(details(busy).path("retryAfterMillis").asLong()).isEqualTo(7_000);
        assertThat(details(busy).at("/headers/retry-after").asText()).isEqualTo("7");
        assertThat(details(busy).at("/headers/x-ratelimit-reset").asText()).isEqualTo("1");
        assertThat(details(busy).path("body").asText()).isEqualTo("{\"why\":\"busy\"}");
        ToolError mistaken = error(backend, "mistaken", "{}");
        assertThat(mistaken.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(details(mistaken).path("status").asInt()).isEqualTo(200);
        assertThat(details(mistaken).path("body").asText()).isEqualTo("<html>");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "7                             | 7000",
                "0                             | 0",
                "Fri, 27 Nov 2026 10:01:30 GMT | 90000",
                "Friday, 27-Nov-26 09:00:00 GMT | 0",
                "soon                          | -1",
                "-5                            | -1",
                "99999999999                   | -1",
            })
    void timeToTryAgainIsReadFromSecondsAndDates(String header, long millis) {
        HttpOperation operation = HttpOperation.of(
                "x", BackendSettings.of(new Json("{\"method\":\"GET\",\"path\":\"/\"}")), ResponseFormat.BODY);
        ToolResult result = HttpResponses.toToolResult(
                operation,
                new GuardedHttpClient.GuardedHttpResponse(
                        503,
                        Optional.empty(),
                        new byte[0],
                        Map.of("retry-after", header, "date", "Fri, 27 Nov 2026 10:00:00 GMT")),
                true);
        assertThat(details(((ToolResult.ToolFailure) result).error())
                        .path("retryAfterMillis")
                        .asLong(-1))
                .isEqualTo(millis);
    }

    @Test
    void longErrorIsAnAnswerAndLongHeadersAreTooLarge() {
        BackendConnection backend =
                openOperations("{\"huge\":{\"method\":\"POST\",\"path\":\"/huge\"},\"headers\":{\"method\":\"POST\","
                        + "\"path\":\"/headers\"}}");
        ToolError huge = error(backend, "huge", "{}");
        assertThat(huge.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(details(huge).path("status").asInt()).isEqualTo(500);
        assertThat(error(backend, "headers", "{}").code()).isEqualTo(ToolErrorCode.TOO_LARGE);
    }

    @Test
    void errorWhoseBodyIsCutIsAnAnswer() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            executor.execute(() -> {
                try (Socket socket = listening.accept()) {
                    byte[] request = new byte[4_096];
                    int read = 0;
                    while (!new String(request, 0, read, StandardCharsets.US_ASCII).contains("\r\n\r\n{}")) {
                        read += socket.getInputStream().read(request, read, request.length - read);
                    }
                    socket.getOutputStream()
                            .write("HTTP/1.1 403 No\r\nContent-Length: 100\r\n\r\npart"
                                    .getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    requests.add(e.toString());
                }
            });
            BackendConnection backend = open("{\"baseUrl\":\"http://127.0.0.1:" + listening.getLocalPort()
                    + "\",\"allowPrivate\":true,\"operations\":{\"cut\":{\"method\":\"POST\",\"path\":\"/\"}}}");
            ToolError cut = error(backend, "cut", "{}");
            assertThat(cut.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
            assertThat(details(cut).path("status").asInt()).isEqualTo(403);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"path\":\"/a?b=c\"                                          | path",
                "\"path\":\"/a#b\"                                            | path",
                "\"path\":\"/\",\"contentType\":\"multipart/mixed\"           | contentType",
                "\"path\":\"/\",\"contentType\":\"text/plain\"                | contentType",
                "\"path\":\"/\",\"contentType\":\"x\"                         | contentType",
                "\"path\":\"/\",\"response\":\"headers\"                      | response",
                "\"path\":\"/\",\"responseHeaders\":\"link\"                  | responseHeaders",
            })
    void invalidOperationIsNamed(String members, String member) {
        String settings = "{\"baseUrl\":\"http://x/\",\"operations\":{\"a\":{\"method\":\"POST\"," + members + "}}}";
        HttpBackendType kind = new HttpBackendType(executor, VaultFixtures.NO_SECRETS);
        assertThatThrownBy(() -> kind.check(BackendSettings.of(new Json(settings))))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo("settings.operations.a." + member));
    }
}
