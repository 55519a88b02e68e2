package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.RawClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.testsupport.Timing;

/** Requests that no honest client sends, byte for byte: nothing comes of them, and nobody else notices. */
@ExtendWith(Servers.class)
class StrangeRequestsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int PING_FLOOD_BYTES = 50_000_000;
    private static final String CODE =
            Submission.javascript("return 'smuggled'").json();

    private final SallyportServer server;
    private final Api api;
    private List<String> before = List.of();

    StrangeRequestsIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @BeforeEach
    void count() {
        before = smuggledIn();
    }

    @AfterEach
    void nothingWasStoredAndOthersAreServed() {
        assertThat(smuggledIn()).isEqualTo(before);
    }

    private String key() {
        return "Authorization: Bearer " + server.adminKey() + "\r\n";
    }

    /** The executions that only these tests submit: others have begun on this server, and what they begin may come now. */
    private List<String> smuggledIn() {
        return api.ids(item -> item.path("codePreview").asText().contains("smuggled"));
    }

    private String smuggled() {
        return "POST " + Api.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + key()
                + "Content-Type: application/json\r\nContent-Length: " + CODE.length() + "\r\n\r\n" + CODE;
    }

    /** Whether the body ends where the length says or with its last piece, a second request would be in it for one of two readers. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: chunked, identity\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: identity, chunked\r\nContent-Length: 5\r\n",
                "Content-Length: 5\r\nContent-Length: 6\r\n",
                "Content-Length: 5, 6\r\n",
                "Content-Length: -5\r\n",
                "Content-Length: +5\r\n",
                "Content-Length: 0x5\r\n",
                "Content-Length: 99999999999999999999\r\n",
            })
    void aBodyWithTwoEndsIsRefused(String lengths) {
        try (RawClient client = new RawClient(server.url())) {
            client.send("POST " + Api.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + key()
                    + "Content-Type: application/json\r\n" + lengths + "\r\n0\r\n\r\n" + smuggled());

            assertThat(client.status(PATIENCE)).isEqualTo(400);
            assertThat(client.rest(PATIENCE)).doesNotContain("HTTP/1.1 202");
        }
    }

    /** The answer closes the connection, so nothing that comes behind the request is done: its answer could not be sent. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"})
    void whatFollowsARefusedRequestIsNotDone(String lengths) {
        for (int i = 0; i < 20; i++) {
            try (RawClient client = new RawClient(server.url())) {
                client.send("POST " + Api.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + key()
                        + "Content-Type: application/json\r\n" + lengths + "\r\n0\r\n\r\n" + smuggled());

                assertThat(client.status(PATIENCE)).isEqualTo(400);
                assertThat(client.rest(PATIENCE)).doesNotContain("HTTP/1.1 202");
            }
        }
    }

    /** Its length is the one there is: what follows would be a request of its own. */
    @Test
    void aBodyOfACodingThatIsNoneIsRefused() {
        try (RawClient client = new RawClient(server.url())) {
            client.send(
                    "POST " + Api.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + key()
                            + "Content-Type: application/json\r\nTransfer-Encoding: xchunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n");

            assertThat(client.status(PATIENCE)).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\n", "-1\r\n", "ffffffffffffffff\r\n", "1;x=\r\nab\r\n"})
    void piecesThatAreNoneAreRefused(String piece) {
        try (RawClient client = new RawClient(server.url())) {
            client.send("POST " + Api.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + key()
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + piece + smuggled());

            assertThat(client.status(PATIENCE)).isEqualTo(400);
            assertThat(client.rest(PATIENCE)).doesNotContain("HTTP/1.1 202");
        }
    }

    @Test
    void aBodyThatIsPackedIsNotUnpacked() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write((CODE + " ".repeat(50_000_000)).getBytes(StandardCharsets.US_ASCII));
        }
        Answer answer = api.send(api.request(Api.EXECUTIONS)
                .header("Content-Type", "application/json")
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofByteArray(packed.toByteArray())));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("validation");
    }

    @Test
    void headersWithoutEndAreRefused() {
        for (String header : List.of("X: y\r\n".repeat(100_000), "X: " + "y".repeat(1_000_000) + "\r\n")) {
            try (RawClient client = new RawClient(server.url())) {
                client.send("GET " + Api.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + key() + header + "\r\n");

                // It may say so while much of it is still on its way, and then has read not all: a reset, and no
                // answer.
                assertThat(client.rest(PATIENCE))
                        .satisfiesAnyOf(
                                answer -> assertThat(answer).startsWith("HTTP/1.1 400"),
                                answer -> assertThat(answer).isEmpty());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: evil.example\r\n",
                "Host: test\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 10.0.0.1\r\n",
                "Host: test\r\nForwarded: host=evil.example;proto=https;for=10.0.0.1\r\n",
                "Host: test\r\nX-Original-URL: /health/live\r\nX-Rewrite-URL: /health/live\r\n",
            })
    void whatAClientSaysOfTheAddressIsNotRepeated(String said) {
        try (RawClient client = new RawClient(server.url())) {
            client.send("POST " + Api.EXECUTIONS + " HTTP/1.1\r\n" + said + key()
                    + "Connection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");

            assertThat(client.rest(PATIENCE)).startsWith("HTTP/1.1 400").doesNotContain("evil.example");
        }
        try (RawClient client = new RawClient(server.url())) {
            client.send("GET /console HTTP/1.1\r\n" + said + "Connection: close\r\n\r\n");

            assertThat(client.rest(PATIENCE)).startsWith("HTTP/1.1 ").doesNotContain("evil.example");
        }
        try (RawClient client = new RawClient(server.url())) {
            client.send("GET " + Api.EXECUTIONS + " HTTP/1.1\r\n" + said + "Connection: close\r\n\r\n");

            assertThat(client.rest(PATIENCE)).startsWith("HTTP/1.1 401").doesNotContain("evil.example");
        }
    }

    @Test
    void theAddressOfWhatWasMadeHasNoHost() {
        String body = "{\"name\": \"for a moment\", \"roles\": [\"submitter\"]}";
        try (RawClient client = new RawClient(server.url())) {
            client.send("POST /api/v1/api-keys HTTP/1.1\r\nHost: evil.example\r\n" + key()
                    + "Connection: close\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                    + "\r\n\r\n"
                    + body);
            String answer = client.rest(PATIENCE);

            assertThat(answer).startsWith("HTTP/1.1 201").doesNotContain("evil.example");
            String path = answer.lines()
                    .filter(line -> line.startsWith("Location: "))
                    .findFirst()
                    .orElseThrow()
                    .substring("Location: ".length());
            assertThat(path).startsWith("/api/v1/api-keys/");
            api.send(api.request(path).DELETE()).expect(204);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Api.EXECUTIONS, "/console/session", "/mcp", "/health/ready"})
    void noOtherOriginIsInvited(String path) {
        Answer asked = api.anonymous()
                .send(api.anonymous()
                        .request(path)
                        .header("Origin", "https://evil.example")
                        .header("Access-Control-Request-Method", "POST")
                        .header("Access-Control-Request-Headers", "authorization,content-type")
                        .method("OPTIONS", BodyPublishers.noBody()));
        Answer read = api.send(api.request(path).header("Origin", "https://evil.example"));

        for (Answer answer : List.of(asked, read)) {
            assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
            assertThat(answer.header("Access-Control-Allow-Credentials")).isEmpty();
            assertThat(answer.header("Access-Control-Allow-Headers")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Api.EXECUTIONS, "/mcp", "/console"})
    void nothingIsUpgraded(String path) {
        for (String upgrade : List.of(
                "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
                "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n")) {
            try (RawClient client = new RawClient(server.url())) {
                client.send("GET " + path + " HTTP/1.1\r\nHost: test\r\n" + key() + "Connection: Upgrade, close\r\n"
                        + upgrade + "\r\n");

                assertThat(client.status(PATIENCE)).isNotEqualTo(101);
            }
        }
    }

    @Test
    void partsAndConditionsChangeNothing() {
        String ranges = "bytes=" + "0-,".repeat(2_000) + "0-";
        for (String header : List.of(
                "Range: " + ranges,
                "Range: bytes=5-1",
                "If-Match: \"x\"",
                "If-None-Match: *",
                "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT")) {
            String[] parts = header.split(": ", 2);
            Answer answer = api.send(api.request("/api/v1/tools").header(parts[0], parts[1]));

            assertThat(answer.status()).as(header).isEqualTo(200);
            assertThat(answer.header("Content-Range")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /api/v1/executions HTTP/1.1\r\n\r\n",
                "GET /api/v1/executions HTTP/9.9\r\nHost: test\r\n\r\n",
                "GET http://evil.example/api/v1/executions HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
                "TRACE / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nX-Secret: evil.example\r\n\r\n",
                "GET /\u0000 HTTP/1.1\r\nHost: test\r\n\r\n",
            })
    void linesThatAskForSomethingElseGetNothing(String request) {
        try (RawClient client = new RawClient(server.url())) {
            client.send(request);

            assertThat(client.rest(PATIENCE)).doesNotContain("HTTP/1.1 2", "evil.example");
        }
    }

    /** PING frames whose answers are never read: a server that speaks HTTP/2 keeps each answer in memory. */
    @Test
    void clientsThatSpeakHttp2AndNeverReadEndNothing() throws InterruptedException {
        List<Thread> floods = Stream.generate(() -> new Thread(this::floodWithPings, "ping-flood"))
                .limit(2)
                .toList();
        floods.forEach(Thread::start);

        long begin = System.nanoTime();
        api.run(Submission.javascript("return 'beside a flood'"));
        Duration answered = Duration.ofNanos(System.nanoTime() - begin);
        for (Thread flood : floods) {
            flood.join();
        }

        Timing.assertAtMost(Duration.ofSeconds(10), answered);
        assertThat(server.isAlive()).isTrue();
        assertThat(api.run(Submission.javascript("return 'after a flood'"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
    }

    /** Until the server closes the connection, and at most as much as would have filled its memory. */
    private void floodWithPings() {
        String settings = "\0\0\0\4\0\0\0\0\0";
        String pings = ("\0\0\10\6\0\0\0\0\0" + "12345678").repeat(2_000);
        try (RawClient client = new RawClient(server.url())) {
            boolean open = client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings);
            for (int sent = 0; open && sent < PING_FLOOD_BYTES; sent += pings.length()) {
                open = client.send(pings);
            }
        }
    }
}
