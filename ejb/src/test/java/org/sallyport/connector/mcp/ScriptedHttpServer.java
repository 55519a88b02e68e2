package org.sallyport.connector.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server over Streamable HTTP with sessions and the tools {@code read}, which is read-only, and {@code write}. Its
 * answers are JSON; tests replace those to single methods of HTTP or of the protocol.
 */
final class ScriptedHttpServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    final List<ReceivedRequest> requests = new CopyOnWriteArrayList<>();
    private final Map<String, HttpResponder> responders = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch finished = new CountDownLatch(1);
    private final AtomicInteger sessions = new AtomicInteger();
    private final HttpServer server;
    /** Whether each connection is closed after one answer. */
    volatile boolean closesConnections;

    /** Answers a request; an exception cuts the connection. */
    interface HttpResponder {
        void respond(HttpExchange exchange, JsonNode request) throws IOException;
    }

    /** @param method method of the protocol in a POST, otherwise that of HTTP */
    record ReceivedRequest(String method, Headers headers, JsonNode body) {
        Optional<String> header(String name) {
            return Optional.ofNullable(headers.getFirst(name));
        }
    }

    ScriptedHttpServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String origin() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Replaces the answers to a method of the protocol, or to {@code GET} or {@code DELETE}. */
    void answer(String method, HttpResponder responder) {
        responders.put(method, responder);
    }

    List<ReceivedRequest> received(String method) {
        return requests.stream().filter(one -> one.method().equals(method)).toList();
    }

    private void handle(HttpExchange exchange) throws IOException {
        boolean post = exchange.getRequestMethod().equals("POST");
        byte[] body = exchange.getRequestBody().readAllBytes();
        JsonNode request = post ? JSON.readTree(body) : NullNode.instance;
        String method = post ? request.path("method").asText() : exchange.getRequestMethod();
        HttpResponder responder = responders.getOrDefault(method, this::respond);
        if (closesConnections) {
            exchange.getResponseHeaders().set("Connection", "close");
        }
        requests.add(new ReceivedRequest(method, exchange.getRequestHeaders(), request));
        responder.respond(exchange, request);
    }

    void respond(HttpExchange exchange, JsonNode request) throws IOException {
        switch (request.path("method").asText(exchange.getRequestMethod())) {
            case "initialize" -> {
                exchange.getResponseHeaders().set("Mcp-Session-Id", "s-" + sessions.incrementAndGet());
                json(exchange, 200, initializeResult(request));
            }
            case "tools/list" -> json(exchange, 200, result(request, """
                                {"tools":[
                                {"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
                                {"name":"write","inputSchema":{"type":"object"}}]}"""));
            case "tools/call" -> json(exchange, 200, textResult(request, "done"));
            case "ping" -> json(exchange, 200, result(request, "{}"));
            case "GET" -> empty(exchange, 405);
            case "DELETE" -> empty(exchange, 200);
            default -> empty(exchange, 202);
        }
    }

    static String initializeResult(JsonNode request) {
        return result(
                request,
                "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                        + "\"serverInfo\":{\"name\":\"scripted\",\"version\":\"1\"}}");
    }

    static String result(JsonNode request, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + request.get("id") + ",\"result\":" + result.replace("\n", "") + "}";
    }

    static String textResult(JsonNode request, String text) {
        return result(request, "{\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
    }

    static void json(HttpExchange exchange, int status, String body) throws IOException {
        body(exchange, status, "application/json", body);
    }

    static void body(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    static void empty(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    /** Begins a stream of events, and sends a first part of it. */
    static OutputStream stream(HttpExchange exchange, String events) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        out.write(events.getBytes(StandardCharsets.UTF_8));
        out.flush();
        return out;
    }

    /** Sends a whole stream of events, which ends in order. */
    static void endedStream(HttpExchange exchange, String events) throws IOException {
        stream(exchange, events).close();
    }

    /** Sends a stream of events that is cut off. */
    static void cutStream(HttpExchange exchange, String events) throws IOException {
        stream(exchange, events);
        throw new IOException("cut");
    }

    /** Sends the events of a stream that stays open until the end of the test. */
    void openStream(HttpExchange exchange, String events) throws IOException {
        keepOpen(stream(exchange, events));
    }

    /** Sends the beginning of a body that stays open until the end of the test. */
    void openBody(HttpExchange exchange, int status, String beginning) throws IOException {
        exchange.sendResponseHeaders(status, 0);
        OutputStream out = exchange.getResponseBody();
        out.write(beginning.getBytes(StandardCharsets.UTF_8));
        out.flush();
        keepOpen(out);
    }

    private void keepOpen(OutputStream body) throws IOException {
        try (body) {
            finished.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        finished.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
