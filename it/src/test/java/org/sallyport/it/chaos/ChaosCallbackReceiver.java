package org.sallyport.it.chaos;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.it.harness.LoopbackHttpServer;
import org.sallyport.it.harness.TestJson;

/** Receives the callbacks of executions and records the messages. Thread-safe. */
final class ChaosCallbackReceiver implements AutoCloseable {
    private final Map<String, Set<String>> bodiesByExecution = new ConcurrentHashMap<>();
    private final LoopbackHttpServer server;

    private ChaosCallbackReceiver() throws IOException {
        server = new LoopbackHttpServer(this::receive);
    }

    static ChaosCallbackReceiver start() {
        try {
            return new ChaosCallbackReceiver();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void receive(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        bodiesByExecution
                .computeIfAbsent(TestJson.read(body).at("/execution/id").asText(), id -> ConcurrentHashMap.newKeySet())
                .add(body);
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    /** The URL for callbacks. */
    String url() {
        return server.url() + "/";
    }

    /** The different messages about an execution. */
    Set<String> bodies(String execution) {
        return Set.copyOf(bodiesByExecution.getOrDefault(execution, Set.of()));
    }

    @Override
    public void close() {
        server.close();
    }
}
