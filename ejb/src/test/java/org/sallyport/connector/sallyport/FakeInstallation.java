package org.sallyport.connector.sallyport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Fake of another installation's REST API, as far as tool calls use it. Creates one execution for each idempotency key.
 * Enqueued {@link ResponseStep}s handle requests first; after them, the fake answers normally.
 */
final class FakeInstallation implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();
    static final String KEY = "sp_0123456789abcdef";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> requests = new ArrayList<>();
    private final Map<String, ObjectNode> executions = new LinkedHashMap<>();
    private final Deque<ResponseStep> steps = new ArrayDeque<>();
    private final Deque<ResponseStep> cancels = new ArrayDeque<>();
    private ObjectNode executionTemplate = JSON.createObjectNode();
    private String tools = "[]";
    private String capabilities = "[]";
    private String endOfCalls = "tool_end";
    private boolean keyAccepted = true;

    /** Handles one request that creates or follows an execution. */
    interface ResponseStep {
        /** Returns whether it has answered the request. */
        boolean tryAnswer(FakeInstallation door, HttpExchange exchange, String body) throws IOException;
    }

    FakeInstallation() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        setExecution("{\"state\":\"COMPLETED\",\"result\":{\"n\":1.50}}");
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    int port() {
        return server.getAddress().getPort();
    }

    synchronized void tools(String json) {
        tools = json;
    }

    synchronized void capabilities(String json) {
        capabilities = json;
    }

    /** Sets the event type of tool call ends in the traces. */
    synchronized void endOfCalls(String type) {
        endOfCalls = type;
    }

    synchronized void acceptKey(boolean takes) {
        keyAccepted = takes;
    }

    /** Sets the state and result of all executions, existing and future. */
    synchronized void setExecution(String json) throws IOException {
        executionTemplate = (ObjectNode) JSON.readTree(json);
        executions.values().forEach(execution -> execution.setAll(executionTemplate));
    }

    /** Enqueues steps that handle the next requests, in this order, before the normal answers. */
    synchronized void enqueue(ResponseStep... wanted) {
        steps.addAll(List.of(wanted));
    }

    /** Enqueues steps that handle the next cancel requests, before the normal answers. */
    synchronized void enqueueCancels(ResponseStep... wanted) {
        cancels.addAll(List.of(wanted));
    }

    /** The received requests that start with {@code begin}, as {@code POST /path body}. */
    synchronized List<String> requests(String prefix) {
        return requests.stream().filter(each -> each.startsWith(prefix)).toList();
    }

    /** The executions by their idempotency keys. */
    synchronized Map<String, ObjectNode> executions() {
        return new LinkedHashMap<>(executions);
    }

    /** The id of the execution that was created for a call. */
    synchronized String executionId(String call) {
        return Objects.requireNonNull(byCallLabel(call).get(0)).path("id").asText();
    }

    private List<ObjectNode> byCallLabel(String call) {
        return executions.values().stream()
                .filter(each ->
                        each.path("labels").path("sallyport.call").asText().equals(call))
                .toList();
    }

    /** Creates the execution of a POST request, then closes the connection without a response. */
    static ResponseStep dropConnection() {
        return (door, exchange, body) -> {
            if (exchange.getRequestMethod().equals("POST")) {
                door.storeExecution(exchange, body);
            }
            exchange.close();
            return true;
        };
    }

    /** Sends the given response instead of the normal one. */
    static ResponseStep respond(int status, String body, String... headers) {
        return (door, exchange, sent) -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            send(exchange, status, body);
            return true;
        };
    }

    static ResponseStep problem(int status, String code, String... headers) {
        return respond(
                status,
                "{\"type\":\"urn:sallyport:problem:" + code + "\",\"detail\":\"because of " + code + "\"}",
                headers);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String path = exchange.getRequestURI().getPath();
        ResponseStep step;
        synchronized (this) {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
            if (!keyAccepted
                    || !("Bearer " + KEY).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                send(exchange, 401, "{\"type\":\"urn:sallyport:problem:unauthorized\"}");
                return;
            }
            Deque<ResponseStep> mine = path.endsWith("/cancel") ? cancels : steps;
            boolean run = path.startsWith("/api/v1/executions");
            step = run && !mine.isEmpty() ? mine.poll() : (door, asked, sent) -> false;
        }
        if (!step.tryAnswer(this, exchange, body)) {
            answerNormally(exchange, path, body);
        }
    }

    private void answerNormally(HttpExchange exchange, String path, String body) throws IOException {
        if (path.equals("/api/v1/tools")) {
            // A later call must not reuse a connection that only seems to be open.
            exchange.getResponseHeaders().set("Connection", "close");
            send(exchange, 200, "{\"items\":" + tools + ",\"next\":null}");
        } else if (path.equals("/api/v1/capabilities")) {
            send(exchange, 200, "{\"items\":" + capabilities + ",\"next\":null}");
        } else if (path.startsWith("/api/v1/capabilities/")) {
            String name = path.split("/", -1)[4];
            // On a kept-open connection, each response of this server waits for the acknowledgement of its headers.
            exchange.getResponseHeaders().set("Connection", "close");
            send(
                    exchange,
                    200,
                    "{\"name\":\"" + name + "\",\"description\":\"of " + name
                            + "\",\"inputSchema\":{\"type\":\"object\"}}");
        } else if (path.endsWith("/trace")) {
            send(
                    exchange,
                    200,
                    "{\"events\":[{\"type\":\"" + endOfCalls()
                            + "\",\"call\":1,\"error\":{\"details\":{\"status\":418}}}]}");
        } else if (path.endsWith("/cancel")) {
            send(exchange, 202, "{}");
        } else if (exchange.getRequestMethod().equals("POST")) {
            send(exchange, 200, storeExecution(exchange, body).toString());
        } else {
            send(exchange, 200, findExecutions(exchange, path));
        }
    }

    private synchronized String endOfCalls() {
        return endOfCalls;
    }

    private synchronized String findExecutions(HttpExchange exchange, String path) throws IOException {
        if (path.equals("/api/v1/executions")) {
            String query = URLDecoder.decode(exchange.getRequestURI().getRawQuery(), StandardCharsets.UTF_8);
            String label = query.substring(query.indexOf("label=sallyport.call:") + 21);
            return "{\"items\":" + byCallLabel(label) + "}";
        }
        String id = path.substring(path.lastIndexOf('/') + 1);
        return executions.values().stream()
                .filter(each -> each.path("id").asText().equals(id))
                .map(JsonNode::toString)
                .findFirst()
                .orElse("{}");
    }

    private synchronized ObjectNode storeExecution(HttpExchange exchange, String body) throws IOException {
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        JsonNode labels = JSON.readTree(body).path("labels");
        return executions.computeIfAbsent(key, newKey -> {
            ObjectNode execution =
                    executionTemplate.deepCopy().put("id", UUID.randomUUID().toString());
            execution.set("labels", labels);
            return execution;
        });
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
