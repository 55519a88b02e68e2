package org.sallyport.bench.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.measure.WrongResultException;

class StateCountsTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final HttpServer server = server();

    @BeforeEach
    void start() {
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void allPagesAreReadAndCountedByState() throws Exception {
        answer(
                200,
                Map.of(
                        "limit=200",
                        "{\"items\": [{\"state\": \"COMPLETED\"}, {\"state\": \"FAILED\"}], \"next\": \"n1\"}",
                        "limit=200&cursor=n1",
                        "{\"items\": [{\"state\": \"COMPLETED\"}], \"next\": null}"));
        StateCounts census = StateCounts.fetch(client());

        assertThat(asked).containsExactly("limit=200", "limit=200&cursor=n1");
        assertThat(census.byState()).isEqualTo(Map.of("COMPLETED", 2L, "FAILED", 1L));
        assertThat(census.total()).isEqualTo(3);
        assertThat(census.count("CANCELLED")).isZero();
    }

    @Test
    void refusedListIsAWrongResult() {
        answer(503, Map.of("limit=200", "{}"));

        assertThatThrownBy(() -> StateCounts.fetch(client()))
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining("503");
    }

    @Test
    void executionsFromBeforeAreSubtracted() {
        StateCounts before = new StateCounts(Map.of("COMPLETED", 5L, "PENDING", 1L, "FAILED", 2L));
        StateCounts after = new StateCounts(Map.of("COMPLETED", 8L, "FAILED", 2L));

        assertThat(after.minus(before).byState()).isEqualTo(Map.of("COMPLETED", 3L, "PENDING", -1L));
    }

    private BenchmarkClient client() {
        return new BenchmarkClient(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "key");
    }

    private void answer(int status, Map<String, String> byQuery) {
        server.createContext("/api/v1/executions", exchange -> {
            String query = exchange.getRequestURI().getRawQuery();
            asked.add(query);
            byte[] body = byQuery.getOrDefault(query, "{}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }

    private static HttpServer server() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
