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
import org.sallyport.it.harness.RawHttpConnection;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.testsupport.TimingAssertions;

/** Malformed requests, sent byte by byte: they have no effect, and other clients are not affected. */
@ExtendWith(ServerExtension.class)
class MalformedRequestIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int PING_FLOOD_BYTES = 50_000_000;
    private static final String SMUGGLED_SUBMISSION =
            SubmissionBody.javascript("return 'smuggled'").json();

    private final SallyportServer server;
    private final RestClient api;
    private List<String> executionsBefore = List.of();

    MalformedRequestIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @BeforeEach
    void recordExecutions() {
        executionsBefore = findSmuggledExecutions();
    }

    @AfterEach
    void nothingWasStoredAndOthersAreServed() {
        assertThat(findSmuggledExecutions()).isEqualTo(executionsBefore);
    }

    private String authorizationHeader() {
        return "Authorization: Bearer " + server.adminKey() + "\r\n";
    }

    /**
     * Ids of the executions that only these tests could have created. The filter is necessary because other tests share
     * this server.
     */
    private List<String> findSmuggledExecutions() {
        return api.listExecutionIds(item -> item.path("codePreview").asText().contains("smuggled"));
    }

    private String smuggledRequest() {
        return "POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + authorizationHeader()
                + "Content-Type: application/json\r\nContent-Length: " + SMUGGLED_SUBMISSION.length() + "\r\n\r\n"
                + SMUGGLED_SUBMISSION;
    }

    /**
     * The two headers give different ends of the body. If one reader used the length and another the last chunk, one of
     * them would see a second request in the rest (request smuggling).
     */
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
    void requestWithConflictingBodyLengthsIsRefused(String lengths) {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + authorizationHeader()
                    + "Content-Type: application/json\r\n" + lengths + "\r\n0\r\n\r\n" + smuggledRequest());

            assertThat(client.readStatus(TIMEOUT)).isEqualTo(400);
            assertThat(client.readToEnd(TIMEOUT)).doesNotContain("HTTP/1.1 202");
        }
    }

    /**
     * The response closes the connection, so the server must not run a request that follows on it: the server could not
     * send the response to that request.
     */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"})
    void requestAfterARefusedRequestIsNotExecuted(String lengths) {
        for (int i = 0; i < 20; i++) {
            try (RawHttpConnection client = new RawHttpConnection(server.url())) {
                client.send("POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + authorizationHeader()
                        + "Content-Type: application/json\r\n" + lengths + "\r\n0\r\n\r\n" + smuggledRequest());

                assertThat(client.readStatus(TIMEOUT)).isEqualTo(400);
                assertThat(client.readToEnd(TIMEOUT)).doesNotContain("HTTP/1.1 202");
            }
        }
    }

    /**
     * The transfer coding is unknown, so {@code Content-Length} is the only length of the body. The bytes after that
     * length would be a request of their own.
     */
    @Test
    void unknownTransferCodingIsRefused() {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + authorizationHeader()
                    + "Content-Type: application/json\r\nTransfer-Encoding: xchunked\r\nContent-Length: "
                    + "5\r\n\r\n0\r\n\r\n");

            assertThat(client.readStatus(TIMEOUT)).isEqualTo(400);
        }
    }

    /** The body is complete and valid, but another reader could see another host or another end of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: test\r\nHost: evil.example\r\nTransfer-Encoding: chunked\r\n",
                "Host: test\r\nHost: test\r\nTransfer-Encoding: chunked\r\n",
                "Host: test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                "Host: test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                "Host: test\r\nTransfer-Encoding: chunked, identity\r\n",
                "Host: test\r\nTransfer-Encoding: identity, chunked\r\n",
            })
    void ambiguousRequestIsRefused(String headers) {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\n" + headers + authorizationHeader()
                    + "Content-Type: application/json\r\n\r\n"
                    + Integer.toHexString(SMUGGLED_SUBMISSION.length()) + "\r\n" + SMUGGLED_SUBMISSION
                    + "\r\n0\r\n\r\n");

            assertThat(client.readStatus(TIMEOUT)).isEqualTo(400);
            assertThat(client.readToEnd(TIMEOUT)).doesNotContain("HTTP/1.1 202", "evil.example");
        }
    }

    @Test
    void requestWithoutAVersionGetsNoHealth() {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("GET /health/live\r\n\r\n");

            assertThat(client.readToEnd(TIMEOUT)).doesNotContain("\"UP\"");
        }
    }

    /** The container knows the directories of the archive. */
    @ParameterizedTest
    @ValueSource(strings = {"/WEB-INF", "/WEB-INF;/web.xml", "/WEB-INF;x", "/META-INF", "/META-INF;/x", "/console;x"})
    void directoriesAreNotRedirectedTo(String path) {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");

            assertThat(client.readToEnd(TIMEOUT)).startsWith("HTTP/1.1 4").doesNotContain("evil.example", "Location:");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\n", "-1\r\n", "ffffffffffffffff\r\n", "1;x=\r\nab\r\n"})
    void malformedChunkIsRefused(String piece) {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + authorizationHeader()
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + piece
                    + smuggledRequest());

            assertThat(client.readStatus(TIMEOUT)).isEqualTo(400);
            assertThat(client.readToEnd(TIMEOUT)).doesNotContain("HTTP/1.1 202");
        }
    }

    /** The container does not check the body of a request that asks for another protocol; the application does. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "Content-Length: 5, 6\r\n\r\n0\r\n\r\n",
                "Content-Length: -5\r\n\r\n0\r\n\r\n",
                "Content-Length: 5\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
                "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                "Transfer-Encoding: chunked\r\n\r\n1;x=\r\nab\r\n",
            })
    void malformedBodyOfARequestWithUpgradeIsRefused(String rest) {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + authorizationHeader()
                    + "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Type: application/json\r\n" + rest
                    + smuggledRequest());

            assertThat(client.readStatus(TIMEOUT)).isEqualTo(400);
            assertThat(client.readToEnd(TIMEOUT)).doesNotContain("HTTP/1.1 202");
        }
    }

    /** The rest of the connection is no request, whether or not the application reads the body. */
    @Test
    void requestAfterARequestWithUpgradeIsNotExecuted() {
        for (String key : List.of(authorizationHeader(), "")) {
            try (RawHttpConnection client = new RawHttpConnection(server.url())) {
                client.send("POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + key
                        + "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 2\r\n\r\n{}" + smuggledRequest());

                assertThat(client.readStatus(TIMEOUT)).isEqualTo(key.isEmpty() ? 401 : 400);
                assertThat(client.readToEnd(TIMEOUT)).doesNotContain("HTTP/1.1 202");
            }
        }
    }

    @Test
    void gzippedBodyIsNotDecompressed() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write((SMUGGLED_SUBMISSION + " ".repeat(50_000_000)).getBytes(StandardCharsets.US_ASCII));
        }
        RestResponse answer = api.send(api.request(RestClient.EXECUTIONS)
                .header("Content-Type", "application/json")
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofByteArray(packed.toByteArray())));

        assertThat(answer.status()).isEqualTo(415);
        assertThat(answer.problemType()).isEqualTo("unsupported-media-type");
    }

    @Test
    void oversizedHeadersAreRefused() {
        for (String header : List.of("X: y\r\n".repeat(100_000), "X: " + "y".repeat(1_000_000) + "\r\n")) {
            try (RawHttpConnection client = new RawHttpConnection(server.url())) {
                client.send("GET " + RestClient.EXECUTIONS + " HTTP/1.1\r\nHost: test\r\n" + authorizationHeader()
                        + header + "\r\n");

                // The server may reject the request while the client still sends it. The server then closes without
                // reading the rest, so the client sees a reset connection and no response.
                assertThat(client.readToEnd(TIMEOUT))
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
                "Host: test\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: "
                        + "10.0.0.1\r\n",
                "Host: test\r\nForwarded: host=evil.example;proto=https;for=10.0.0.1\r\n",
                "Host: test\r\nX-Original-URL: /health/live\r\nX-Rewrite-URL: /health/live\r\n",
            })
    void hostHeadersOfTheClientAreNotEchoed(String said) {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("POST " + RestClient.EXECUTIONS + " HTTP/1.1\r\n" + said + authorizationHeader()
                    + "Connection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");

            assertThat(client.readToEnd(TIMEOUT)).startsWith("HTTP/1.1 400").doesNotContain("evil.example");
        }
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("GET /console HTTP/1.1\r\n" + said + "Connection: close\r\n\r\n");

            assertThat(client.readToEnd(TIMEOUT)).startsWith("HTTP/1.1 ").doesNotContain("evil.example");
        }
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("GET " + RestClient.EXECUTIONS + " HTTP/1.1\r\n" + said + "Connection: close\r\n\r\n");

            assertThat(client.readToEnd(TIMEOUT)).startsWith("HTTP/1.1 401").doesNotContain("evil.example");
        }
    }

    @Test
    void locationHeaderHasNoHost() {
        String body = "{\"name\": \"for a moment\", \"roles\": [\"submitter\"]}";
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send("POST /api/v1/api-keys HTTP/1.1\r\nHost: evil.example\r\n" + authorizationHeader()
                    + "Connection: close\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                    + "\r\n\r\n"
                    + body);
            String answer = client.readToEnd(TIMEOUT);

            assertThat(answer).startsWith("HTTP/1.1 201").doesNotContain("evil.example");
            String path = answer.lines()
                    .filter(line -> line.startsWith("Location: "))
                    .findFirst()
                    .orElseThrow()
                    .substring("Location: ".length());
            assertThat(path).startsWith("/api/v1/api-keys/");
            api.send(api.request(path).DELETE()).expectStatus(204);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {RestClient.EXECUTIONS, "/console/session", "/mcp", "/health/ready"})
    void corsIsNotGrantedToOtherOrigins(String path) {
        RestResponse asked = api.withoutKey()
                .send(api.withoutKey()
                        .request(path)
                        .header("Origin", "https://evil.example")
                        .header("Access-Control-Request-Method", "POST")
                        .header("Access-Control-Request-Headers", "authorization,content-type")
                        .method("OPTIONS", BodyPublishers.noBody()));
        RestResponse read = api.send(api.request(path).header("Origin", "https://evil.example"));

        for (RestResponse answer : List.of(asked, read)) {
            assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
            assertThat(answer.header("Access-Control-Allow-Credentials")).isEmpty();
            assertThat(answer.header("Access-Control-Allow-Headers")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {RestClient.EXECUTIONS, "/mcp", "/console"})
    void connectionIsNeverUpgraded(String path) {
        for (String upgrade : List.of(
                "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
                "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n")) {
            try (RawHttpConnection client = new RawHttpConnection(server.url())) {
                client.send("GET " + path + " HTTP/1.1\r\nHost: test\r\n" + authorizationHeader()
                        + "Connection: Upgrade, close\r\n" + upgrade + "\r\n");

                assertThat(client.readStatus(TIMEOUT)).isNotEqualTo(101);
            }
        }
    }

    @Test
    void rangeAndConditionalHeadersAreIgnored() {
        String ranges = "bytes=" + "0-,".repeat(2_000) + "0-";
        for (String header : List.of(
                "Range: " + ranges,
                "Range: bytes=5-1",
                "If-Match: \"x\"",
                "If-None-Match: *",
                "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT")) {
            String[] parts = header.split(": ", 2);
            RestResponse answer = api.send(api.request("/api/v1/tools").header(parts[0], parts[1]));

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
    void invalidRequestLineGetsNoSuccessResponse(String request) {
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            client.send(request);

            assertThat(client.readToEnd(TIMEOUT)).doesNotContain("HTTP/1.1 2", "evil.example");
        }
    }

    /**
     * PING frames whose responses the client never reads. A server that speaks HTTP/2 keeps each response in memory.
     */
    @Test
    void http2ClientsThatNeverReadDoNotStopTheServer() throws InterruptedException {
        List<Thread> floods = Stream.generate(() -> new Thread(this::floodWithPings, "ping-flood"))
                .limit(2)
                .toList();
        floods.forEach(Thread::start);

        long startNanos = System.nanoTime();
        api.run(SubmissionBody.javascript("return 'beside a flood'"));
        Duration answered = Duration.ofNanos(System.nanoTime() - startNanos);
        for (Thread flood : floods) {
            flood.join();
        }

        TimingAssertions.assertAtMost(Duration.ofSeconds(10), answered);
        assertThat(server.isAlive()).isTrue();
        assertThat(api.run(SubmissionBody.javascript("return 'after a flood'"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
    }

    /** Sends until the server closes the connection, at most as many bytes as would have filled its memory. */
    private void floodWithPings() {
        String settings = "\0\0\0\4\0\0\0\0\0";
        String pings = ("\0\0\10\6\0\0\0\0\0" + "12345678").repeat(2_000);
        try (RawHttpConnection client = new RawHttpConnection(server.url())) {
            boolean open = client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings);
            for (int sent = 0; open && sent < PING_FLOOD_BYTES; sent += pings.length()) {
                open = client.send(pings);
            }
        }
    }
}
