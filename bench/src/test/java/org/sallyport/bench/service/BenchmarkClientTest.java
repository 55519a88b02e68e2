package org.sallyport.bench.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.measure.WrongResultException;

class BenchmarkClientTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Deque<String> states = new ArrayDeque<>(List.of("starting", "starting", "ready"));
    private volatile boolean refuses;
    private final HttpServer server = server();
    private final BenchmarkClient client = new BenchmarkClient(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "key");

    @BeforeEach
    void start() {
        server.createContext("/api/v1/backends", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
            switch (refuses ? "" : exchange.getRequestMethod()) {
                case "" -> answer(exchange, 409, "{}");
                case "POST" -> answer(exchange, 201, "{}");
                case "GET" -> answer(exchange, 200, "{\"status\":{\"state\":\"" + states.removeFirst() + "\"}}");
                default -> answer(exchange, 204, "");
            }
        });
        server.createContext("/api/v1/executions", exchange -> {
            asked.add(exchange.getRequestHeaders().getFirst("Prefer") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            if (refuses) {
                exchange.getResponseHeaders().set("Retry-After", "2");
                answer(exchange, 429, "{}");
            } else {
                answer(exchange, 202, "{\"id\":\"e\"}");
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void mcpServerIsAddedAwaitedAndRemoved() throws Exception {
        client.addMcpServer("b", List.of("java", "-cp", "x y", "Main"));
        client.awaitReady("b");
        client.removeBackend("b");

        assertThat(asked).hasSize(5);
        assertThat(new ObjectMapper().readTree(asked.get(0).substring("POST /api/v1/backends ".length())))
                .isEqualTo(new ObjectMapper().readTree("""
                        {"name": "b", "kind": "mcp-stdio", "settings":
                          {"trustHints": true, "command": "java", "args": ["-cp", "x y", "Main"]}}"""));
        assertThat(asked.subList(1, 4)).containsOnly("GET /api/v1/backends/b ");
        assertThat(asked.get(4)).isEqualTo("DELETE /api/v1/backends/b ");
    }

    @Test
    void unexpectedResponseIsAWrongResult() {
        refuses = true;
        assertThatThrownBy(() -> client.addMcpServer("b", List.of("java"))).isInstanceOf(WrongResultException.class);
        assertThatThrownBy(() -> client.removeBackend("b")).isInstanceOf(WrongResultException.class);
    }

    @Test
    void onlyAcceptedSubmissionsAreCounted() throws Exception {
        SubmissionResponse accepted =
                client.submitAsync(BenchmarkScript.trivial(1)).get();
        assertThat(accepted.isAccepted()).isTrue();
        assertThat(accepted.hasRetryAfter()).isFalse();
        assertThat(accepted.response().id()).isEqualTo("e");
        assertThat(client.trySubmitAndWait(BenchmarkScript.trivial(1)).isAccepted())
                .isTrue();
        assertThat(client.submittedCount()).isEqualTo(2);
        assertThat(asked)
                .containsExactly(
                        "null " + BenchmarkScript.trivial(1).json(),
                        "wait=30 " + BenchmarkScript.trivial(1).json());

        refuses = true;
        for (SubmissionResponse refused : List.of(
                client.submitAsync(BenchmarkScript.trivial(1)).get(),
                client.trySubmitAndWait(BenchmarkScript.trivial(1)))) {
            assertThat(refused.isAccepted()).isFalse();
            assertThat(refused.hasRetryAfter()).isTrue();
            assertThat(refused.response().status()).isEqualTo(429);
        }
        assertThat(client.submittedCount()).isEqualTo(2);
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static HttpServer server() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
