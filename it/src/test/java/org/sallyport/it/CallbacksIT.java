package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** The service notifies callback receivers on loopback when executions end. */
@UseServer(ServerProfile.RICH)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallbacksIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final String CALLBACK = RestClient.EXECUTIONS + "/{id}/callback";

    private final ConcurrentLinkedQueue<ReceivedCallback> receivedCallbacks = new ConcurrentLinkedQueue<>();
    private final Map<String, Integer> statusByPath = new ConcurrentHashMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer receiver;
    private final RestClient api;
    private final OpenApiResponseValidator description;
    private String secret;

    /** One request that the receiver got. */
    private record ReceivedCallback(String path, String delivery, String signature, String body) {}

    CallbacksIT(TestTenant tenant) {
        this.api = tenant.api();
        this.description = OpenApiResponseValidator.of(api);
    }

    @BeforeAll
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.setExecutor(threads);
        receiver.createContext("/", this::receive);
        receiver.start();
        String before = "{\"code\": \"return 1\", \"callback\": \"" + url("/x", "127.0.0.1") + "\"}";
        assertThat(api.post(RestClient.EXECUTIONS, before).expectStatus(400).text())
                .contains("no signing secret");
        secret = renewSecret();
    }

    @AfterAll
    void stop() {
        stopped.countDown();
        receiver.stop(0);
        threads.shutdownNow();
    }

    private void receive(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        receivedCallbacks.add(new ReceivedCallback(
                path,
                exchange.getRequestHeaders().getFirst("Sallyport-Delivery"),
                exchange.getRequestHeaders().getFirst("Sallyport-Signature"),
                body));
        if (path.startsWith("/never")) {
            try {
                stopped.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        int status = statusByPath.getOrDefault(path, 200);
        if (status / 100 == 3) {
            exchange.getResponseHeaders().set("Location", url("/redirected", "127.0.0.1"));
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private String url(String path, String host) {
        return "http://" + host + ":" + receiver.getAddress().getPort() + path;
    }

    private String renewSecret() {
        RestResponse answer = api.send(api.request("/api/v1/callbacks/secret").POST(BodyPublishers.noBody()));
        return assertDescribed("POST", "/api/v1/callbacks/secret", 201, answer)
                .path("secret")
                .asText();
    }

    private JsonNode assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.json();
    }

    private String submit(String code, String path) {
        return submit(code, path, "127.0.0.1");
    }

    private String submit(String code, String path, String host) {
        return api.submit(SubmissionBody.javascript(code).with("callback", "\"" + url(path, host) + "\""));
    }

    private List<ReceivedCallback> callbacksOf(String id) {
        return receivedCallbacks.stream()
                .filter(each -> id.equals(each.delivery()))
                .toList();
    }

    private JsonNode callback(String id) {
        return assertDescribed("GET", CALLBACK, 200, api.get(RestClient.EXECUTIONS + "/" + id + "/callback"));
    }

    private JsonNode awaitState(String id, String state) {
        Await.until(
                "the callback of " + id + " is " + state,
                TIMEOUT,
                () -> callback(id).path("state").asText().equals(state));
        return callback(id);
    }

    private static boolean isSigned(ReceivedCallback request, String with) throws Exception {
        Matcher time = Pattern.compile("^t=(\\d+),").matcher(request.signature());
        assertThat(time.find()).isTrue();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(with.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        String expected = HexFormat.of()
                .formatHex(mac.doFinal((time.group(1) + "." + request.body()).getBytes(StandardCharsets.UTF_8)));
        return List.of(request.signature().split(",", -1)).contains("v1=" + expected);
    }

    @Test
    void documentedExampleIsSentSignedAndVerified() throws Exception {
        String page = Files.readString(CheckoutPaths.root().resolve("docs/callbacks.md"));
        Matcher submission =
                Pattern.compile("```json submit\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(submission.find()).isTrue();
        JsonNode body = TestJson.read(
                submission.group(1).replace("https://hooks.example.org/sallyport", url("/example", "127.0.0.1")));
        String id = assertDescribed(
                        "POST", RestClient.EXECUTIONS, 202, api.post(RestClient.EXECUTIONS, TestJson.write(body)))
                .path("id")
                .asText();
        JsonNode delivered = awaitState(id, "delivered");
        assertThat(delivered.path("status").asInt()).isEqualTo(200);
        assertThat(delivered.path("attempts").asInt()).isEqualTo(1);

        ReceivedCallback request = callbacksOf(id).get(0);
        assertThat(isSigned(request, secret)).isTrue();
        assertThat(isSigned(request, secret + "x")).isFalse();
        JsonNode reported = TestJson.read(request.body()).path("execution");
        JsonNode execution =
                assertDescribed("GET", RestClient.EXECUTIONS + "/{id}", 200, api.get(RestClient.EXECUTIONS + "/" + id));
        for (String member : List.of("id", "state", "result", "createdAt", "startedAt", "finishedAt", "outputLength")) {
            assertThat(reported.path(member)).as(member).isEqualTo(execution.path(member));
        }
        assertThat(reported.at("/result/sum").asInt()).isEqualTo(42);
        assertThat(reported.has("code")).isFalse();
        assertThat(execution.at("/callback/state").asText()).isEqualTo("delivered");
        assertVerifiedByPython(page, request);
    }

    /** Many JSON parsers refuse a whole text with half of a character. */
    @Test
    void halvesOfCharactersAreReplacedInTheSignedBody() throws Exception {
        String id = submit("return ['a\\ud800b', '\\\\ud800'];", "/halves");
        awaitState(id, "delivered");

        ReceivedCallback request = callbacksOf(id).get(0);
        assertThat(isSigned(request, secret)).isTrue();
        assertThat(request.body())
                .contains("[\"a\ufffdb\",\"\\\\ud800\"]")
                .doesNotContainPattern("(?<!\\\\)(?:\\\\\\\\)*\\\\u[dD][89A-Fa-f]");
    }

    private void assertVerifiedByPython(String page, ReceivedCallback request) throws Exception {
        Matcher python =
                Pattern.compile("```python verify\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(python.find()).isTrue();
        Path script = Files.createTempFile("sallyport-verify", ".py");
        Files.writeString(script, python.group(1) + """

                import sys
                body = sys.stdin.buffer.read()
                print(genuine(sys.argv[1], body, sys.argv[2]), genuine(sys.argv[1], body + b" ", sys.argv[2]),
                    genuine(sys.argv[1], body, sys.argv[2], time.time() + 301))
                """);
        Process process = new ProcessBuilder("python3", script.toString(), request.signature(), secret)
                .redirectErrorStream(true)
                .start();
        try (var in = process.getOutputStream()) {
            in.write(request.body().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
                .isEqualTo("True False False");
    }

    @Test
    void callbacksReportFailuresCancelsBatchItemsAndCapabilities() {
        String failed = submit("throw new Error('no')", "/failed");
        String cancelled = submit("for (;;) await sleep(200)", "/cancelled");
        api.awaitRunning(cancelled);
        api.cancel(cancelled);
        String large = submit("return 'x'.repeat(2000)", "/large");
        JsonNode batch = api.post(
                        "/api/v1/batches",
                        "{\"items\": [{\"code\": \"return 1\", \"callback\": \"" + url("/batch", "127.0.0.1")
                                + "\"}, {\"code\": \"return 1\", \"callback\": \"http://example.org/\"}]}")
                .expectStatus(202)
                .json();
        String item = batch.at("/items/0/execution").isTextual()
                ? batch.at("/items/0/execution").asText()
                : batch.at("/items/0/execution/id").asText();
        assertThat(batch.at("/items/1/problem/detail").asText()).contains("callback");

        for (String id : List.of(failed, cancelled, large, item)) {
            awaitState(id, "delivered");
        }
        assertThat(body(failed).at("/error/message").asText()).contains("no");
        assertThat(body(cancelled).path("state").asText()).isEqualTo("CANCELLED");
        assertThat(body(large).path("resultOmitted").asBoolean()).isTrue();
        assertThat(body(item).path("batch")).isEqualTo(batch.path("id"));
    }

    @Test
    void callbackOfTheLastAttemptNamesTheFirst() {
        String first = api.submit(SubmissionBody.javascript("throw new Error('no')")
                .with("callback", "\"" + url("/retried", "127.0.0.1") + "\"")
                .with("retry", "{\"attempts\": 2, \"delayMillis\": 100, \"errorCodes\": [\"script-error\"]}"));
        awaitState(first, "delivered");
        String last = api.getExecution(first).at("/retry/next").asText();

        assertThat(receivedCallbacks.stream().filter(each -> each.path().equals("/retried")))
                .hasSize(1);
        JsonNode retry = body(last).path("retry");
        assertThat(retry.path("attempt").asInt()).isEqualTo(2);
        assertThat(retry.path("first").asText()).isEqualTo(first);
        assertThat(retry.path("previous").asText()).isEqualTo(first);
        assertThat(api.getExecution(first).at("/callback/state").asText()).isEqualTo("delivered");
    }

    private JsonNode body(String id) {
        return TestJson.read(callbacksOf(id).get(0).body()).path("execution");
    }

    @Test
    void failedCallbackIsRetriedGivenUpListedAndRedelivered() {
        statusByPath.put("/busy", 503);
        statusByPath.put("/moved", 307);
        String busy = submit("return 1", "/busy");
        String moved = submit("return 1", "/moved");
        JsonNode given = awaitState(busy, "failed");
        assertThat(given.path("attempts").asInt()).isEqualTo(4);
        assertThat(given.path("failure").asText()).isEqualTo("the receiver answered 503");
        assertThat(callbacksOf(busy)).hasSize(4);
        assertThat(awaitState(moved, "failed").path("status").asInt()).isEqualTo(307);
        assertThat(receivedCallbacks).noneMatch(each -> each.path().equals("/redirected"));
        assertThat(assertDescribed("GET", "/api/v1/callbacks", 200, api.get("/api/v1/callbacks"))
                        .path("items")
                        .findValuesAsText("execution"))
                .contains(busy, moved);

        statusByPath.remove("/busy");
        assertDescribed(
                "POST",
                CALLBACK + "/redeliver",
                202,
                api.send(api.request(RestClient.EXECUTIONS + "/" + busy + "/callback/redeliver")
                        .POST(BodyPublishers.noBody())));
        awaitState(busy, "delivered");
        assertThat(callbacksOf(busy)).hasSize(5);
        assertThat(callbacksOf(busy).stream().map(ReceivedCallback::body).distinct())
                .hasSize(1);
    }

    @Test
    void unresponsiveReceiverDelaysNoOtherReceiver() {
        for (int i = 0; i < 30; i++) {
            submit("return 1", "/never", "localhost");
        }
        Await.until(
                "it is called",
                TIMEOUT,
                () -> receivedCallbacks.stream().anyMatch(each -> each.path().equals("/never")));
        String other = submit("return 1", "/quick");
        awaitState(other, "delivered");
        assertThat(assertDescribed("GET", "/api/v1/callbacks", 200, api.get("/api/v1/callbacks?state=due&limit=200"))
                        .path("items"))
                .isNotEmpty();
    }

    @Test
    void callbackIsSignedWithTheNewAndThePreviousSecret() throws Exception {
        String before = secret;
        secret = renewSecret();
        String id = submit("return 1", "/renewed");
        awaitState(id, "delivered");
        assertThat(isSigned(callbacksOf(id).get(0), secret)).isTrue();
        assertThat(isSigned(callbacksOf(id).get(0), before)).isTrue();
    }

    @Test
    void disallowedCallbackUrlIsRefused() {
        for (String url : List.of(
                "",
                "x",
                "ftp://127.0.0.1/",
                "https://example.org/",
                "http://2130706433/",
                "http://user@127.0.0.1/",
                "http://127.0.0.1/#x",
                "http://127.0.0.1:0/",
                "http://127.0.0.1/" + "x".repeat(2_000))) {
            RestResponse answer = api.post(
                    RestClient.EXECUTIONS,
                    SubmissionBody.javascript("return 1")
                            .with("callback", TestJson.read("\"" + url + "\""))
                            .json());
            assertThat(answer.problemType()).as(url).isEqualTo("validation");
            assertThat(answer.json().path("member").asText()).isEqualTo("callback");
        }
        String none = api.submit(SubmissionBody.javascript("return 1"));
        assertDescribed("GET", CALLBACK, 404, api.get(RestClient.EXECUTIONS + "/" + none + "/callback"));
        assertDescribed("GET", "/api/v1/callbacks", 400, api.get("/api/v1/callbacks?state=lost"));
        String waits = submit("await sleep('20s')", "/waits");
        assertThat(api.getExecution(waits).at("/callback/state").asText()).isEqualTo("waiting");
        assertDescribed(
                "POST",
                CALLBACK + "/redeliver",
                409,
                api.send(api.request(RestClient.EXECUTIONS + "/" + waits + "/callback/redeliver")
                        .POST(BodyPublishers.noBody())));
        api.cancel(waits);
    }
}
