package org.sallyport.connector.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.VaultFixtures;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Operations of an HTTP API on the loopback interface. */
class HttpBackendTest {
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<String> idempotencyKeys = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final HttpBackendFixture fixture;
    private BackendConnection backend;

    HttpBackendTest() throws IOException {
        fixture = new HttpBackendFixture(this::answer);
        backend = open(true, name -> new InetAddress[] {InetAddress.getLoopbackAddress()});
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body + " "
                + exchange.getRequestHeaders().getFirst("X-Token"));
        idempotencyKeys.add(String.join(",", exchange.getRequestHeaders().getOrDefault("Idempotency-Key", List.of())));
        String path = exchange.getRequestURI().getPath();
        if (path.startsWith("/users/")) {
            respond(exchange, 200, "application/json", "{\"data\":{\"id\":1.5,\"name\":\"Ada\"}}");
        } else if (path.equals("/bomb")) {
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            byte[] bomb = bomb();
            exchange.sendResponseHeaders(200, bomb.length);
            exchange.getResponseBody().write(bomb);
            exchange.close();
        } else if (path.equals("/drip")) {
            drip(exchange);
        } else if (path.equals("/things/held")) {
            hold();
            respond(exchange, 200, "text/plain", "late");
        } else if (path.equals("/inside")) {
            exchange.getResponseHeaders().set("Location", "http://inside.example:" + fixture.port() + "/users/1");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        } else if (path.equals("/round")) {
            exchange.getResponseHeaders().set("Location", "/round");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        } else if (path.equals("/moved")) {
            exchange.getResponseHeaders().set("Location", "/users/2");
            exchange.sendResponseHeaders(301, -1);
            exchange.close();
        } else if (path.startsWith("/status/")) {
            respond(exchange, Integer.parseInt(path.substring(8)), "text/plain", "because");
        } else {
            respond(exchange, 200, "text/plain; charset=utf-8", "héllo " + calls.incrementAndGet());
        }
    }

    private static void respond(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static byte[] bomb() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 50; i++) {
                out.write(zeros);
            }
        }
        return packed.toByteArray();
    }

    private static void drip(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 600; i++) {
                out.write('.');
                out.flush();
                TimeUnit.MILLISECONDS.sleep(100);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops this thread until the test releases it. */
    private void hold() {
        held.countDown();
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private BackendConnection open(boolean inside, EgressGuard.AddressResolver names) {
        String settings = "{\"baseUrl\":\"http://api.example:" + fixture.port() + "\",\"allowPrivate\":" + inside
                + ",\"maxResponseBytes\":100000,\"headers\":{\"X-Token\":\"t0p-s3cret\"},\"operations\":{"
                + "\"user\":{\"method\":\"GET\",\"path\":\"/users/{id}\",\"query\":{\"full\":\"{full}\"},"
                + "\"result\":\"/data\"},"
                + "\"create\":{\"method\":\"POST\",\"path\":\"/things/{kind}\",\"headers\":{\"X-Note\":\"{note}\"}},"
                + "\"keyed\":{\"method\":\"PUT\",\"path\":\"/things/own\","
                + "\"headers\":{\"idempotency-KEY\":\"mine-{key}\"}},"
                + "\"remove\":{\"method\":\"DELETE\",\"path\":\"/things/it\"},"
                + "\"status\":{\"method\":\"POST\",\"path\":\"/status/{status}\"},"
                + "\"bomb\":{\"method\":\"GET\",\"path\":\"/bomb\"},\"drip\":{\"method\":\"GET\",\"path\":\"/drip\"},"
                + "\"inside\":{\"method\":\"GET\",\"path\":\"/inside\"},\"round\":{\"method\":\"GET\","
                + "\"path\":\"/round\"},"
                + "\"moved\":{\"method\":\"GET\",\"path\":\"/moved\"}}}";
        return fixture.open(new HttpBackendType(fixture.executor(), VaultFixtures.NO_SECRETS, names), settings);
    }

    @AfterEach
    void stop() {
        released.countDown();
        fixture.close();
    }

    private ToolResult call(CallId id, String tool, String arguments) {
        return HttpBackendFixture.call(backend, id, tool, arguments);
    }

    private String value(String tool, String arguments) {
        return HttpBackendFixture.value(backend, tool, arguments);
    }

    private ToolError error(String tool, String arguments) {
        return HttpBackendFixture.error(backend, tool, arguments);
    }

    @Test
    void operationReturnsTheValueAtItsPointer() {
        assertThat(value("user", "{\"id\":7,\"full\":true}")).isEqualTo("{\"id\":1.5,\"name\":\"Ada\"}");
        assertThat(requests).containsExactly("GET /users/7?full=true  t0p-s3cret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "../../admin | /users/..%2F..%2Fadmin",
                "%2e%2e      | /users/%252e%252e",
                "a/b;c?d#e   | /users/a%2Fb%3Bc%3Fd%23e",
                "@evil.com   | /users/%40evil.com",
                "ü           | /users/%C3%BC",
            })
    void argumentStaysInItsPathSegment(String id, String path) {
        value("user", "{\"id\":\"" + id + "\"}");
        assertThat(requests.get(0)).startsWith("GET " + path + " ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "user   | {\"id\":\"..\"}",
                "user   | {}",
                "user   | {\"id\":{}}",
                "user   | {\"id\":\"\"}",
                "create | {\"kind\":\"k\",\"note\":\"a\\r\\nEvil: 1\"}",
                "create | {\"kind\":\"k\",\"note\":\"a\\u0085b\"}",
                "create | {\"kind\":\"k\",\"n\":1e99999999999}",
                "user   | {\"id\":1,\"full\":{\"$base64\":\"QQ==\",\"type\":\"Uint8Array\"}}",
            })
    void injectingArgumentsAreRefused(String tool, String arguments) {
        assertThat(error(tool, arguments).code()).isEqualTo(ToolErrorCode.INVALID_ARGUMENTS);
        assertThat(requests).isEmpty();
    }

    @Test
    void remainingArgumentsBecomeTheBody() {
        assertThat(value("create", "{\"kind\":\"k\",\"a\":1,\"b\":[true]}")).isEqualTo("\"héllo 1\"");
        assertThat(requests).containsExactly("POST /things/k {\"a\":1,\"b\":[true]} t0p-s3cret");
    }

    @Test
    void effectSendsAStableIdempotencyKey() {
        call(new CallId("e-7", 1), "create", "{\"kind\":\"k\"}");
        call(new CallId("e-7", 1), "create", "{\"kind\":\"k\"}");
        call(new CallId("e-7", 2), "create", "{\"kind\":\"k\"}");
        call(new CallId("e-7", 3), "remove", "{}");
        call(new CallId("e-7", 4), "status", "{\"status\":503}");
        call(new CallId("e-7", 5), "user", "{\"id\":1}");
        call(new CallId("e-7", 6), "keyed", "{\"key\":\"9\"}");
        call(new CallId("e-7", 7), "keyed", "{}");
        assertThat(idempotencyKeys)
                .as("nothing of what reads, and the operation's own in its place")
                .containsExactly("e-7/1", "e-7/1", "e-7/2", "e-7/3", "e-7/4", "", "mine-9", "e-7/7");
    }

    @Test
    void decompressionBombIsRejected() {
        assertThat(error("bomb", "{}").code()).isEqualTo(ToolErrorCode.TOO_LARGE);
    }

    @Test
    void cancelEndsATricklingResponse() throws Exception {
        var dripping = backend.call(new BackendConnection.BackendRequest(
                        new CallId("e", 9), "drip", Json.EMPTY_OBJECT, true, "default", Instant.MAX))
                .toCompletableFuture();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (requests.isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(5);
        }
        backend.cancel(new CallId("e", 9));
        assertThat(dripping.get(30, TimeUnit.SECONDS)).isInstanceOf(ToolResult.ToolFailure.class);
    }

    private CompletableFuture<ToolResult> create(CallId id, String kind) {
        return backend.call(new BackendConnection.BackendRequest(
                        id, "create", new Json("{\"kind\":\"" + kind + "\"}"), false, "default", Instant.MAX))
                .toCompletableFuture();
    }

    @Test
    void withdrawnCallWithoutAConnectionIsNeverSent() throws Exception {
        backend.close();
        backend = open(true, name -> {
            hold();
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
        });
        CallId id = new CallId("e", 9);
        CompletableFuture<ToolResult> call = create(id, "k");
        assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(backend.withdraw(id).toCompletableFuture()).isCompletedWithValue(true);
        released.countDown();
        assertThat(call.get(60, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE));
        assertThat(requests).isEmpty();
        assertThat(backend.withdraw(id).toCompletableFuture())
                .as("a call that has ended")
                .isCompletedWithValue(false);
    }

    @Test
    void withdrawnCallThatWasSentMayHaveItsEffect() throws Exception {
        CallId id = new CallId("e", 9);
        CompletableFuture<ToolResult> call = create(id, "held");
        assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(backend.withdraw(id).toCompletableFuture()).isCompletedWithValue(false);
        assertThat(call.get(60, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        ToolResult.ToolFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ToolErrorCode.OUTCOME_UNKNOWN));
    }

    /** Otherwise the call would time out first, and nothing would be known of it. */
    @ParameterizedTest
    @CsvSource({"60000, 10000", "30000, 10000", "1000, 500", "1, 1"})
    void connectionIsGivenUpBeforeTheTimeOfItsCallHasPassed(long limitMillis, long connectMillis) {
        assertThat(GuardedHttpClient.connectTimeout(Timeout.ofMilliseconds(limitMillis))
                        .toMilliseconds())
                .isEqualTo(connectMillis);
    }

    @Test
    void eachRedirectIsCheckedAgain() {
        assertThat(value("moved", "{}")).contains("data");
        ToolError inside = error("inside", "{}");
        assertThat(inside.code()).isEqualTo(ToolErrorCode.EGRESS_DENIED);
        assertThat(inside.message())
                .contains("status 302", "http://inside.example:", "is not in the list of allowed hosts");
        assertThat(HttpBackendFixture.details(inside).path("status").asInt()).isEqualTo(302);
        assertThat(error("round", "{}").message()).contains("more than 5 times");
    }

    @ParameterizedTest
    @CsvSource({
        "404, TOOL_FAILED",
        "500, TOOL_FAILED",
        "503, BACKEND_UNAVAILABLE",
        "429, BACKEND_UNAVAILABLE",
        "504, OUTCOME_UNKNOWN"
    })
    void httpStatusMapsToAToolError(int status, ToolErrorCode code) {
        ToolError error = error("status", "{\"status\":" + status + "}");
        assertThat(error.code()).isEqualTo(code);
        assertThat(error.details().orElseThrow().text())
                .isEqualTo("{\"status\":" + status + ",\"headers\":{\"content-length\":\"7\","
                        + "\"content-type\":\"text/plain\"},\"body\":\"because\"}");
    }

    @Test
    void hostThatResolvesToAPrivateAddressIsNotContacted() {
        backend.close();
        backend = open(false, name -> new InetAddress[] {InetAddress.getLoopbackAddress()});
        assertThat(error("user", "{\"id\":1}").code()).isEqualTo(ToolErrorCode.EGRESS_DENIED);
        assertThat(requests).isEmpty();
    }

    @Test
    void hostIsResolvedOnceAndThatAddressIsContacted() {
        AtomicInteger asked = new AtomicInteger();
        backend.close();
        backend = open(true, name -> {
            // A second lookup would return another address.
            return new InetAddress[] {
                asked.getAndIncrement() == 0 ? InetAddress.getLoopbackAddress() : InetAddress.getByName("192.0.2.1")
            };
        });
        assertThat(value("user", "{\"id\":1}")).contains("Ada");
        assertThat(asked.get()).isEqualTo(1);
    }

    @Test
    void unresolvableHostIsBackendUnavailable() {
        backend.close();
        backend = open(true, name -> {
            throw new UnknownHostException(name);
        });
        assertThat(error("create", "{\"kind\":\"k\"}").code()).isEqualTo(ToolErrorCode.BACKEND_UNAVAILABLE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                                              | settings.baseUrl",
                "{\"baseUrl\":\"gopher://x/\"}                                   | settings.baseUrl",
                "{\"baseUrl\":\"http://x/\",\"allowHosts\":[\"y\"]}              | settings.baseUrl",
                "{\"baseUrl\":\"http://x/ \"}                                    | settings.baseUrl",
                "{\"baseUrl\":\" http://x/\",\"allowHosts\":[\"x\"]}             | settings.baseUrl",
                "{\"openapi\":{\"url\":\"http://x/a.json \"}}                     | settings.openapi.url",
                "{\"baseUrl\":\"http://x/\"}                                     | settings.operations",
                "{\"baseUrl\":\"http://x/\",\"operations\":{\"a b\":{}}}         | settings.operations.a b",
                "{\"baseUrl\":\"http://x/\",\"operations\":{\"a\":{\"method\":\"LOOK\",\"path\":\"/\"}}}   | "
                        + "settings.operations.a.method",
                "{\"baseUrl\":\"http://x/\",\"operations\":{\"a\":{\"method\":\"GET\",\"path\":\"//y\"}}}  | "
                        + "settings.operations.a.path",
                "{\"baseUrl\":\"http://x/\",\"operations\":{\"a\":{\"method\":\"GET\",\"path\":\"/\",\"x\":1}}} | "
                        + "settings.operations.a.x",
            })
    void invalidSettingIsNamed(String settings, String member) {
        HttpBackendType kind = new HttpBackendType(fixture.executor(), VaultFixtures.NO_SECRETS);
        assertThatThrownBy(() -> kind.check(BackendSettings.of(new Json(settings))))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo(member));
    }
}
