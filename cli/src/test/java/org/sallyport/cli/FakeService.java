package org.sallyport.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sallyport.cli.api.ApiJson;

/**
 * A fake of the public REST API over real HTTP with one execution. Each poll returns the next of the configured stages;
 * the last one repeats. Accepts the key {@value #KEY}.
 */
final class FakeService implements AutoCloseable {
    static final String KEY = "sp_test";
    static final String ID = "0198c0de-0000-7000-8000-000000000001";

    /** All requests, as {@code METHOD path?query}. */
    final List<String> requests = new CopyOnWriteArrayList<>();
    /** Bodies of submissions. */
    final List<JsonNode> submissions = new CopyOnWriteArrayList<>();
    /** Bodies of all requests that had one. */
    final List<String> bodies = new CopyOnWriteArrayList<>();
    /** Values of the header {@code Last-Event-ID}, of requests that had one. */
    final List<String> lastEventIds = new CopyOnWriteArrayList<>();
    /** The header {@code Accept} of the last request of each kind, by {@code METHOD path}. */
    final Map<String, String> acceptHeaders = new ConcurrentHashMap<>();
    /** Idempotency keys of submissions. */
    final List<String> idempotencyKeys = new CopyOnWriteArrayList<>();

    private final Map<String, FakeServiceResponse> answers = new HashMap<>();
    private final Map<String, Deque<FakeServiceResponse>> oneTimeAnswers = new ConcurrentHashMap<>();
    private final Deque<ObjectNode> stages = new ArrayDeque<>();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean cancelled;
    private volatile boolean breaksStreams;
    private volatile int maxPieces = Integer.MAX_VALUE;

    FakeService() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
        answer("GET /api/v1/executions/" + ID + "/trace", 200, "{\"events\":[],\"next\":null}");
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Adds a stage of the execution. Members as single-quoted JSON without the braces. */
    FakeService stage(String state, String members) {
        ObjectNode stage = (ObjectNode) parsed("{" + members.replace('\'', '"') + "}");
        synchronized (stages) {
            stages.add(stage.put("id", ID).put("state", state));
        }
        return this;
    }

    /** Sets a fixed response. The request is {@code METHOD path?query}, or without the query for any query. */
    FakeService answer(String request, int status, String body) {
        answers.put(request, new FakeServiceResponse(status, body, Map.of()));
        return this;
    }

    FakeService answer(String request, int status, String body, Map<String, String> headers) {
        answers.put(request, new FakeServiceResponse(status, body, headers));
        return this;
    }

    /** Queues a response for one request, after those queued before. The request is without the query. */
    FakeService answerOnce(String request, int status, String body) {
        oneTimeAnswers
                .computeIfAbsent(request, all -> new ConcurrentLinkedDeque<>())
                .add(new FakeServiceResponse(status, body, Map.of()));
        return this;
    }

    /** Ends event streams after each stage from now on, as a broken connection would. */
    FakeService breakStreams() {
        breaksStreams = true;
        return this;
    }

    /** Limits the pieces of output in one response from now on. */
    FakeService limitPieces(int max) {
        maxPieces = max;
        return this;
    }

    /** Waits until a request, as in {@link #requests}, has arrived. */
    void awaitRequest(String request) throws InterruptedException {
        synchronized (requests) {
            while (!requests.contains(request)) {
                requests.wait();
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String path =
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath();
        String query = exchange.getRequestURI().getRawQuery();
        String whole = query == null ? path : path + "?" + query;
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                .ifPresent(types -> acceptHeaders.put(path, types));
        synchronized (requests) {
            requests.add(whole);
            requests.notifyAll();
        }
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Last-Event-ID"))
                .ifPresent(lastEventIds::add);
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (body.length > 0) {
            bodies.add(new String(body, StandardCharsets.UTF_8));
        }
        Optional<FakeServiceResponse> first =
                Optional.ofNullable(oneTimeAnswers.get(path)).map(Deque::poll);
        if (path.startsWith("GET /health/")) {
            send(exchange, health());
        } else if (!("Bearer " + KEY).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
            send(exchange, problem(401, "unauthorized", "Unauthorized", ""));
        } else if (first.isPresent()) {
            send(exchange, first.get());
        } else if (answers.containsKey(whole)) {
            send(exchange, answers.get(whole));
        } else if (answers.containsKey(path)) {
            send(exchange, answers.get(path));
        } else if (path.equals("POST /api/v1/executions")) {
            submissions.add(parsed(new String(body, StandardCharsets.UTF_8)));
            String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
            idempotencyKeys.add(key == null ? "" : key);
            send(exchange, new FakeServiceResponse(202, "{\"id\":\"" + ID + "\",\"state\":\"PENDING\"}", Map.of()));
        } else if (path.equals("POST /api/v1/executions/old/rerun")) {
            submissions.add(parsed(new String(body, StandardCharsets.UTF_8)));
            send(exchange, new FakeServiceResponse(202, "{\"id\":\"" + ID + "\",\"state\":\"PENDING\"}", Map.of()));
        } else if (path.equals("GET /api/v1/executions/" + ID + "/events")) {
            sendEvents(exchange);
        } else if (path.equals("GET /api/v1/executions/" + ID)) {
            send(exchange, new FakeServiceResponse(200, stage(query == null ? "" : query), Map.of()));
        } else if (path.equals("GET /api/v1/executions/" + ID + "/output/pieces")) {
            send(exchange, new FakeServiceResponse(200, pieces(query == null ? "" : query), Map.of()));
        } else if (path.equals("POST /api/v1/executions/" + ID + "/cancel")) {
            cancelled = true;
            send(exchange, new FakeServiceResponse(202, "{\"id\":\"" + ID + "\",\"state\":\"CANCELLED\"}", Map.of()));
        } else {
            send(exchange, problem(404, "not-found", "Not found", "There is nothing here."));
        }
    }

    /** Sends the remaining stages as events. Their ids contain the number of sent characters of each stream. */
    private void sendEvents(HttpExchange exchange) throws IOException {
        String last = exchange.getRequestHeaders().getFirst("Last-Event-ID");
        String[] sentChars = (last == null ? "0.0" : last).split("\\.", -1);
        int out = Integer.parseInt(sentChars[0]);
        int err = Integer.parseInt(sentChars[1]);
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream;charset=utf-8");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream events = exchange.getResponseBody()) {
            boolean finished = false;
            while (!finished) {
                ObjectNode stage = (ObjectNode) parsed(stage(""));
                finished = !List.of("PENDING", "RUNNING", "WAITING")
                        .contains(stage.path("state").asText());
                out = sendChunk(events, stage, "output", "output", out, out, err);
                err = sendChunk(events, stage, "errorOutput", "error-output", err, out, err);
                sendEvent(events, finished ? "result" : "state", out + "." + err, stage);
                if (breaksStreams) {
                    return;
                }
            }
        }
    }

    private static int sendChunk(
            OutputStream events, ObjectNode stage, String member, String name, int from, int out, int err)
            throws IOException {
        String text = stage.path(member).asText("");
        if (text.length() > from) {
            int end = text.length();
            String id = name.equals("output") ? end + "." + err : out + "." + end;
            sendEvent(events, name, id, ApiJson.object().put("offset", from).put("text", text.substring(from)));
        }
        return Math.max(from, text.length());
    }

    private static void sendEvent(OutputStream events, String name, String id, ObjectNode data) throws IOException {
        String text = ":\n\nid: " + id + "\nevent: " + name + "\ndata: " + ApiJson.compact(data) + "\n\n";
        events.write(text.getBytes(StandardCharsets.UTF_8));
        events.flush();
    }

    private String stage(String query) {
        ObjectNode stage;
        synchronized (stages) {
            stage = stages.size() > 1 ? stages.remove() : stages.element();
        }
        ObjectNode shown = stage.deepCopy();
        if (cancelled) {
            shown.put("state", "CANCELLED");
        }
        cutBefore(shown, "output", offset(query, "outputOffset"));
        cutBefore(shown, "errorOutput", offset(query, "errorOffset"));
        return ApiJson.compact(shown);
    }

    /** The lines of the current stage after the offsets, alternating between the streams, error output first. */
    private String pieces(String query) {
        ObjectNode stage;
        synchronized (stages) {
            stage = stages.element();
        }
        ObjectNode answer = ApiJson.object();
        ArrayNode pieces = answer.putArray("pieces");
        int out = 0;
        int err = 0;
        String output = stage.path("output").asText("");
        String errorOutput = stage.path("errorOutput").asText("");
        while (pieces.size() < maxPieces && (out < output.length() || err < errorOutput.length())) {
            err = addPiece(pieces, "error-output", errorOutput, err, offset(query, "errorOffset"));
            if (pieces.size() < maxPieces) {
                out = addPiece(pieces, "output", output, out, offset(query, "outputOffset"));
            }
        }
        return ApiJson.compact(answer);
    }

    /** Adds the line that begins at {@code start}, without the text before {@code offset}. Returns the line's end. */
    private static int addPiece(ArrayNode pieces, String stream, String text, int start, int offset) {
        int line = text.indexOf('\n', start) + 1;
        int end = line == 0 ? text.length() : line;
        int from = Math.max(start, offset);
        if (end > from) {
            pieces.addObject().put("stream", stream).put("offset", from).put("text", text.substring(from, end));
        }
        return end;
    }

    private static void cutBefore(ObjectNode shown, String member, int offset) {
        String all = shown.path(member).asText("");
        shown.put(member, all.substring(Math.min(offset, all.length())));
        shown.put(member + "Length", all.length());
    }

    private static int offset(String query, String name) {
        for (String parameter : query.split("&", -1)) {
            if (parameter.startsWith(name + "=")) {
                return Integer.parseInt(parameter.substring(name.length() + 1));
            }
        }
        return 0;
    }

    private static FakeServiceResponse health() {
        return new FakeServiceResponse(
                200,
                "{\"status\":\"UP\",\"checks\":[{\"name\":\"database\",\"status\":\"UP\","
                        + "\"data\":{\"version\":\"0.1.0\"}}]}",
                Map.of());
    }

    static FakeServiceResponse problem(int status, String kind, String title, String members) {
        String text = members.startsWith(",") ? members : ",\"detail\":\"" + members + "\"";
        return new FakeServiceResponse(
                status,
                "{\"type\":\"https://sallyport.dev/problems/" + kind + "\",\"title\":\"" + title + "\",\"status\":"
                        + status + text + "}",
                Map.of("Content-Type", "application/problem+json"));
    }

    private static void send(HttpExchange exchange, FakeServiceResponse answer) throws IOException {
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static JsonNode parsed(String json) {
        try {
            return ApiJson.parse(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }

    record FakeServiceResponse(int status, String body, Map<String, String> headers) {}
}
