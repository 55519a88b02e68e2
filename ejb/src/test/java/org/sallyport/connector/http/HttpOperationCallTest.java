package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.connector.http.HttpBackendFixture.details;
import static org.sallyport.connector.http.HttpBackendFixture.error;
import static org.sallyport.connector.http.HttpBackendFixture.respond;
import static org.sallyport.connector.http.HttpBackendFixture.value;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Requests of operations of documents and of settings to a server on the loopback interface, and its answers. */
class HttpOperationCallTest {
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<String> credentials = Collections.synchronizedList(new ArrayList<>());
    private HttpBackendFixture fixture;
    private HttpBackendFixture other;

    @BeforeEach
    void start() throws IOException {
        fixture = new HttpBackendFixture(this::answer);
        other = new HttpBackendFixture(this::answer);
    }

    @AfterEach
    void stop() {
        fixture.close();
        other.close();
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
            case "/link" -> respond(exchange, 200, "{\"a\":1.50}", "Link", "<http://127.0.0.1/?page=2>; rel=\"next\"");
            case "/created" -> respond(exchange, 201, "", "Location", "/things/7");
            case "/queued" -> respond(exchange, 202, "{\"queued\":true}", "Location", "/jobs/7", "Retry-After", "3");
            case "/busy" -> respond(exchange, 429, "{\"why\":\"busy\"}", "Retry-After", "7", "X-RateLimit-Reset", "1");
            case "/unchanged" -> respond(exchange, 304, "", "ETag", "\"v1\"");
            case "/cookies" ->
                respond(exchange, 200, "\"" + exchange.getRequestHeaders().getFirst("Cookie") + "\"");
            case "/secret" -> respond(exchange, 200, "{}", "X-Trace", "t", "Set-Cookie", "s=1");
            case "/mistaken" -> respond(exchange, 200, "<html>", "X-Request-Id", "r1");
            case "/exponent" -> respond(exchange, 200, "{\"n\":1e99999999999}");
            case "/huge" -> respond(exchange, 500, "x".repeat(300_000));
            case "/twice" -> respond(exchange, 200, "{}", "Link", "a", "Link", "b");
            case "/long" -> respond(exchange, 200, "{}", headers(1, 20_000));
            case "/many" -> respond(exchange, 200, "{}", headers(300, 1));
            case "/limits" -> respond(exchange, 200, "{}", headers(20, 3_000));
            case "/limits/failed" -> respond(exchange, 500, "{}", headers(20, 3_000));
            case "/document with blank" ->
                respond(
                        exchange,
                        200,
                        "{\"openapi\":\"3.0.3\",\"servers\":[{\"url\":\"/v 1\"}],\"paths\":"
                                + "{\"/a\":{\"get\":{\"operationId\":\"a\"}}}}");
            default -> respond(exchange, 200, "\"ok\"");
        }
    }

    private static String[] headers(int count, int length) {
        return IntStream.range(0, count)
                .boxed()
                .flatMap(i -> Stream.of("X-RateLimit-" + i, "y".repeat(length)))
                .toArray(String[]::new);
    }

    private static String post(String id, String content) {
        return "\"/" + id + "\":{\"post\":{\"operationId\":\"" + id + "\",\"requestBody\":{\"content\":" + content
                + "}}}";
    }

    @Test
    void bodiesOfADocumentAreSentAsDeclared() {
        BackendConnection backend = fixture.openDocument(
                "{" + post("patch", "{\"application/merge-patch+json\":{}}") + ","
                        + post("jsonApi", "{\"application/vnd.api+json\":{}}") + ","
                        + post("jsonPatch", "{\"application/json-patch+json\":{}}") + ","
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
        value(backend, "jsonPatch", "{\"body\":[{\"op\":\"remove\",\"path\":\"/a\"}]}");
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
                        "POST /jsonPatch application/json-patch+json [{\"op\":\"remove\",\"path\":\"/a\"}]",
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
        BackendConnection backend = fixture.openOperations("""
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
    void mediaTypeOfTheBackendGivesWayToTheDeclaredOne() {
        String own = ",\"headers\":{\"content-type\":\"application/vnd.own+json\"}";
        BackendConnection document =
                fixture.openDocument("{" + post("patch", "{\"application/merge-patch+json\":{}}") + "}", own);
        BackendConnection declared = fixture.openOperations("""
                {"plain": {"method": "POST", "path": "/plain"},
                 "form": {"method": "POST", "path": "/form", "contentType": "application/x-www-form-urlencoded"},
                 "parts": {"method": "POST", "path": "/parts", "contentType": "multipart/form-data"},
                 "own": {"method": "POST", "path": "/own", "contentType": "text/csv", "body": "b",
                         "headers": {"Content-Type": "text/csv; v={v}"}}}
                """, own);
        value(document, "patch", "{\"body\":{}}");
        value(declared, "plain", "{}");
        value(declared, "form", "{\"a\":1}");
        value(declared, "parts", "{}");
        value(declared, "own", "{\"b\":\"x\",\"v\":1}");
        value(declared, "own", "{\"b\":\"x\"}");
        assertThat(requests)
                .containsExactly(
                        "POST /patch application/merge-patch+json {}",
                        "POST /plain application/vnd.own+json {}",
                        "POST /form application/x-www-form-urlencoded a=1",
                        "POST /parts multipart/form-data; boundary=… --…--\r\n",
                        "POST /own text/csv; v=1 x",
                        "POST /own text/csv x");
    }

    @Test
    void pathsAndParametersOfADocumentAreSentAsDeclared() {
        String id = "{\"name\":\"id\",\"in\":\"path\",\"required\":true}";
        BackendConnection backend = fixture.openDocument(
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
                        + "{\"type\":\"object\"}},{\"name\":\"t[]\",\"in\":\"query\"},"
                        + "{\"name\":\"X-Own\",\"in\":\"header\"}]}},"
                        + "\"/r/{id}.json\":{\"parameters\":[" + id + ",{\"name\":\"v\",\"in\":\"query\",\"schema\":"
                        + "{\"type\":\"string\"}}],\"get\":{\"operationId\":\"suffix\",\"parameters\":["
                        + "{\"name\":\"v\",\"in\":\"query\",\"schema\":{\"type\":\"integer\"}}]}},"
                        + "\"/r/{id}:cancel\":{\"post\":{\"operationId\":\"cancel\",\"parameters\":[" + id + "]}},"
                        + "\"/s/{a}/{b}..{c}\":{\"get\":{\"operationId\":\"range\",\"parameters\":["
                        + id.replace("\"id\"", "\"a\"") + "," + id.replace("\"id\"", "\"b\"") + ","
                        + id.replace("\"id\"", "\"c\"") + "]}},"
                        + "\"/in/{ids}\":{\"get\":{\"operationId\":\"inPath\",\"parameters\":["
                        + "{\"name\":\"ids\",\"in\":\"path\",\"required\":true}]}}}",
                "");
        value(backend, "umlaut", "{\"id\":\"a b\"}");
        value(backend, "blank", "{}");
        value(backend, "fixed", "{\"x\":\"2\"}");
        value(backend, "number", "{\"id\":12345678.9,\"min\":0.00001}");
        value(
                backend,
                "list",
                "{\"tags\":[\"a,b\",\"c d\"],\"filter\":{\"name\":\"x\"},\"t__\":[1,2],\"X-Own\":[\"a\",\"b\"]}");
        value(backend, "inPath", "{\"ids\":[\"a\",\"b/c\"]}");
        value(backend, "suffix", "{\"id\":\"a b\",\"v\":1}");
        value(backend, "cancel", "{\"id\":\"7\"}");
        value(backend, "range", "{\"a\":\"x\",\"b\":\"1\",\"c\":\"2\"}");
        value(backend, "remove", "{\"id\":\"a\"}");
        assertThat(error(backend, "remove", "{\"id\":\"\"}").code()).isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
        assertThat(requests)
                .containsExactly(
                        "GET /gr%C3%B6%C3%9Fe/a%20b ",
                        "GET /a%20b/c ",
                        "GET /q?fixed=1&x=2 ",
                        "GET /n/12345678.9?min=0.00001 ",
                        "GET /l?tags=a%2Cb,c%20d&filter%5Bname%5D=x&t%5B%5D=1&t%5B%5D=2 ",
                        "GET /in/a,b%2Fc ",
                        "GET /r/a%20b.json?v=1 ",
                        "POST /r/7:cancel ",
                        "GET /s/x/1..2 ",
                        "DELETE /n/a ");
        assertThat(credentials).contains("a,b null null");
    }

    @Test
    void operationHasItsOwnServerAndCredentials() {
        HttpOperation get = HttpOperation.of(
                "get", BackendSettings.of(new Json("{\"method\":\"GET\",\"path\":\"/a\"}")), ResponseFormat.BODY);
        HttpBackendDefinition declared = new HttpBackendDefinition(
                fixture.base(),
                List.of(
                        new HttpCredential("key", "X-Key", "", false, "k"),
                        new HttpCredential("token", "Authorization", "Bearer ", false, "t")),
                Map.of(
                        "all", get,
                        "none", withServerAndCredentials(get, Optional.empty(), Set.of()),
                        "one", withServerAndCredentials(get, Optional.of(fixture.base() + "/v2"), Set.of("token"))));
        BackendConnection backend = open(declared);
        value(backend, "all", "{}");
        value(backend, "none", "{}");
        value(backend, "one", "{}");
        assertThat(requests).containsExactly("GET /a ", "GET /a ", "GET /v2/a ");
        assertThat(credentials).containsExactly("o k Bearer t", "o null null", "o null Bearer t");
    }

    private static String get(String id, String members) {
        return "\"/" + id + "\":{\"get\":{\"operationId\":\"" + id + "\"" + members + "}}";
    }

    private BackendConnection openSecured(String credentials, String paths) {
        return fixture.open("{\"baseUrl\":\"" + fixture.base() + "\",\"allowPrivate\":true,\"credentials\":"
                + credentials + ",\"openapi\":{\"document\":{\"openapi\":\"3.0.3\",\"security\":[{\"bearer\":[]}],"
                + "\"paths\":{" + paths + "},\"components\":{\"securitySchemes\":{"
                + "\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                + "\"basic\":{\"type\":\"http\",\"scheme\":\"basic\"},"
                + "\"key\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Key\"},"
                + "\"own\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Own\"}}}}}}");
    }

    @Test
    void credentialsFollowTheSecurityOfEachOperation() {
        BackendConnection backend = openSecured(
                "{\"bearer\":\"tok\",\"basic\":\"user:pass\",\"key\":\"KEY\"}",
                get("token", ",\"security\":[{\"basic\":[]}]") + "," + get("data", "") + ","
                        + get("both", ",\"security\":[{\"bearer\":[],\"key\":[]}]") + ","
                        + get("open", ",\"security\":[]") + ","
                        + get("either", ",\"security\":[{\"own\":[]},{\"key\":[]},{\"bearer\":[]}]"));
        for (String id : List.of("token", "data", "both", "open", "either")) {
            value(backend, id, "{}");
        }
        assertThat(credentials)
                .containsExactly(
                        "null null Basic dXNlcjpwYXNz",
                        "null null Bearer tok",
                        "null KEY Bearer tok",
                        "null null null",
                        "null KEY null");
        assertThat(fixture.errors()).isEmpty();
    }

    @Test
    void operationsOfTheSettingsNeedCredentialsInDifferentHeaders() {
        HttpBackendType kind = new HttpBackendType(fixture.executor(), VaultFixtures.NO_SECRETS);
        String settings = "{\"baseUrl\":\"http://x/\",\"credentials\":{\"a\":\"1\",\"b\":\"2\"},\"openapi\":"
                + "{\"document\":{\"openapi\":\"3.0.3\",\"paths\":{\"/a\":{\"get\":{}}},\"components\":"
                + "{\"securitySchemes\":{\"a\":{\"type\":\"oauth2\"},\"b\":{\"type\":\"openIdConnect\"}}}}}%s}";
        kind.check(BackendSettings.of(new Json(settings.formatted(""))));
        assertThatThrownBy(() -> kind.check(BackendSettings.of(
                        new Json(settings.formatted(",\"operations\":{\"b\":{\"method\":\"GET\",\"path\":\"/b\"}}")))))
                .isInstanceOfSatisfying(InvalidBackendException.class, e -> {
                    assertThat(e.member()).isEqualTo("settings.credentials");
                    assertThat(e.getMessage()).contains("'a'", "'b'", "'Authorization'");
                });
    }

    @Test
    void faultOfACredentialNamesItsScheme() {
        fixture.openDown("{\"allowPrivate\":true,\"credentials\":{\"missing\":\"k\"},\"openapi\":{\"url\":\""
                + fixture.base() + "/document with blank\"}}");
        assertThat(fixture.errors())
                .first()
                .asString()
                .isEqualTo("settings.credentials.missing is not a supported security scheme of the document");
    }

    @Test
    void severalCookiesAreSentTogether() {
        String schemes = "\"sid\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"sid\"},"
                + "\"did\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"did\"},"
                + "\"raw\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"cookie\"}";
        BackendConnection backend = fixture.open("{\"baseUrl\":\"" + fixture.base() + "\",\"allowPrivate\":true,"
                + "\"credentials\":{\"sid\":\"1\",\"did\":\"2\",\"raw\":\"a=3\"},\"openapi\":{\"document\":{"
                + "\"openapi\":\"3.0.3\",\"paths\":{"
                + get("cookies", ",\"security\":[{\"sid\":[],\"did\":[],\"raw\":[]}]")
                + "},\"components\":{\"securitySchemes\":{" + schemes + "}}}}}");
        assertThat(value(backend, "cookies", "{}").replaceAll("[\" ]", "").split(";"))
                .containsExactlyInAnyOrder("sid=1", "did=2", "a=3");
    }

    @Test
    void requestsGoToTheNearestServer() {
        String servers = "\"servers\":[{\"url\":\"";
        BackendConnection backend = fixture.openDocument(
                "{" + get("regional", "," + servers + fixture.base() + "/v2\"}]") + ",\"/things\":{" + servers
                        + "/eu\"}],\"get\":{\"operationId\":\"pathLevel\"}}," + get("plain", ",\"servers\":[]") + ","
                        + get("elsewhere", "," + servers + "https://uploads.example\"}]") + "}",
                "");
        for (String id : List.of("regional", "pathLevel", "plain")) {
            value(backend, id, "{}");
        }
        assertThat(requests).containsExactly("GET /v2/regional ", "GET /eu/things ", "GET /plain ");
        assertThat(fixture.tools())
                .filteredOn(tool -> tool.unusable().isPresent())
                .singleElement()
                .satisfies(tool -> {
                    assertThat(tool.name()).isEqualTo("elsewhere");
                    assertThat(tool.unusable())
                            .contains("it has a server that may not be called: host 'uploads.example' is not in the"
                                    + " list of allowed hosts");
                });
        assertThat(fixture.tools()).hasSize(4);
        assertThat(fixture.errors()).isEmpty();
    }

    @Test
    void parametersWithContentAreSentAsThisContent() {
        BackendConnection backend = fixture.openDocument(
                "{"
                        + get(
                                "list",
                                ",\"parameters\":[{\"name\":\"filter\",\"in\":\"query\",\"content\":"
                                        + "{\"application/json\":{\"schema\":{\"type\":\"object\"}}}},"
                                        + "{\"name\":\"limit\",\"in\":\"query\",\"schema\":{\"type\":\"integer\"}}]")
                        + "}",
                "");
        value(backend, "list", "{\"filter\":{\"status\":{\"_eq\":\"a b\"}},\"limit\":5}");
        assertThat(requests)
                .containsExactly("GET /list?filter=%7B%22status%22%3A%7B%22_eq%22%3A%22a%20b%22%7D%7D&limit=5 ");
    }

    @Test
    void headersOfTheBackendGoToTheOriginOfItsBaseUrlAlone() {
        HttpOperation get = HttpOperation.of(
                "get", BackendSettings.of(new Json("{\"method\":\"GET\",\"path\":\"/a\"}")), ResponseFormat.BODY);
        BackendConnection backend = open(new HttpBackendDefinition(
                fixture.base(),
                List.of(new HttpCredential("token", "Authorization", "Bearer ", false, "t")),
                Map.of(
                        "own",
                        get,
                        "foreign",
                        withServerAndCredentials(get, Optional.of(other.base() + "/v2"), Set.of("token")))));
        value(backend, "own", "{}");
        value(backend, "foreign", "{}");
        assertThat(requests).containsExactly("GET /a ", "GET /v2/a ");
        assertThat(credentials).containsExactly("o null Bearer t", "null null Bearer t");
    }

    private BackendConnection open(HttpBackendDefinition declared) {
        GuardedHttpClient client = new GuardedHttpClient(
                new EgressGuard(List.of("127.0.0.1"), true, InetAddress::getAllByName), 2, 1_000, Timeout.ofMinutes(1));
        return fixture.start(listener -> new HttpBackend(
                exchange -> declared,
                Map.of("X-Own", "o"),
                () -> VaultFixtures.NO_SECRETS.resolverFor(HttpBackendFixture.definition("{}")),
                client,
                listener,
                fixture.executor()));
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
    void fullResponsesHaveStatusAndHeaders() {
        BackendConnection backend = fixture.openDocument(
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
        BackendConnection backend = fixture.openOperations("""
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

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "ISO-8859-1", "UTF-16"})
    void jsonIsReadInItsCharacterSet(String charset) {
        HttpOperation operation = HttpOperation.of(
                "x", BackendSettings.of(new Json("{\"method\":\"GET\",\"path\":\"/\"}")), ResponseFormat.BODY);
        ToolResult result = HttpResponses.toToolResult(
                operation,
                new GuardedHttpClient.GuardedHttpResponse(
                        200,
                        Optional.of(ContentType.parse("application/json; charset=" + charset)),
                        "{\"a\":\"ä\"}".getBytes(Charset.forName(charset)),
                        Map.of()),
                true);
        assertThat(((ToolResult.ToolSuccess) result).value().text()).isEqualTo("{\"a\":\"ä\"}");
    }

    @Test
    void longErrorIsAnAnswer() {
        BackendConnection backend = fixture.openOperations("{\"huge\":{\"method\":\"POST\",\"path\":\"/huge\"}}");
        ToolError huge = error(backend, "huge", "{}");
        assertThat(huge.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(details(huge).path("status").asInt()).isEqualTo(500);
        assertThat(details(huge).path("body").asText()).hasSize(2_001).endsWith("x…");
    }

    @Test
    void headersAreBounded() {
        BackendConnection backend = fixture.openOperations("""
                {"long": {"method": "GET", "path": "/long"}, "many": {"method": "GET", "path": "/many"},
                 "limits": {"method": "GET", "path": "/limits"},
                 "failed": {"method": "GET", "path": "/limits/failed"},
                 "body": {"method": "GET", "path": "/limits", "response": "body"},
                 "twice": {"method": "GET", "path": "/twice"}}
                """, ",\"response\":\"full\"");
        assertThat(error(backend, "long", "{}").code()).isEqualTo(ToolErrorCode.TOO_LARGE);
        assertThat(error(backend, "many", "{}").code()).isEqualTo(ToolErrorCode.TOO_LARGE);
        assertThat(error(backend, "limits", "{}").code()).isEqualTo(ToolErrorCode.TOO_LARGE);
        assertThat(value(backend, "body", "{}")).isEqualTo("{}");
        assertThat(value(backend, "twice", "{}")).contains("\"link\":\"a, b\"");
        ToolError failed = error(backend, "failed", "{}");
        assertThat(failed.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(details(failed).at("/headers/x-ratelimit-0").asText())
                .hasSize(2_001)
                .endsWith("y…");
        assertThat(failed.details().orElseThrow().text()).hasSizeBetween(10_000, 17_000);
    }

    @Test
    void numberThatIsOutOfRangeIsNoJson() {
        BackendConnection backend =
                fixture.openOperations("{\"exponent\":{\"method\":\"POST\",\"path\":\"/exponent\"}}");
        ToolError answered = error(backend, "exponent", "{}");
        assertThat(answered.code()).isEqualTo(ToolErrorCode.TOOL_FAILED);
        assertThat(details(answered).path("body").asText()).contains("1e99999999999");
        assertThat(error(backend, "exponent", "{\"n\":1e99999999999}").code())
                .isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
    }

    @Test
    void documentAndItsServerMayHaveBlanksInTheirUrls() {
        BackendConnection backend = fixture.open(
                "{\"allowPrivate\":true,\"openapi\":{\"url\":\"" + fixture.base() + "/document with blank\"}}");
        value(backend, "a", "{}");
        assertThat(requests).containsExactly("GET /document%20with%20blank ", "GET /v%201/a ");
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
                "\"path\":\"/\",\"contentType\":\"image/png\\n;x\"            | contentType",
                "\"path\":\"/\",\"contentType\":\"multipart/form-data\","
                        + "\"headers\":{\"content-TYPE\":\"x/y\"}                   | headers",
                "\"path\":\"/\",\"response\":\"headers\"                      | response",
                "\"path\":\"/\",\"responseHeaders\":\"link\"                  | responseHeaders",
            })
    void invalidOperationIsNamed(String members, String member) {
        String settings = "{\"baseUrl\":\"http://x/\",\"operations\":{\"a\":{\"method\":\"POST\"," + members + "}}}";
        HttpBackendType kind = new HttpBackendType(fixture.executor(), VaultFixtures.NO_SECRETS);
        assertThatThrownBy(() -> kind.check(BackendSettings.of(new Json(settings))))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo("settings.operations.a." + member));
    }
}
