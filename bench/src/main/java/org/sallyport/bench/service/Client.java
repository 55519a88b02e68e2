package org.sallyport.bench.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.bench.measure.WrongResultException;

/**
 * The requests that the benchmark makes, over connections that stay open. Counts what it has submitted. Thread-safe.
 */
public final class Client {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LONGEST_BATCH = Duration.ofMinutes(10);
    private static final int PAGE = 200;
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int ACCEPTED = 202;
    private static final int NO_CONTENT = 204;
    private static final long LOOK_MILLIS = 50;
    private static final String WAIT_SECONDS = "30";
    private static final String EXECUTIONS = "/api/v1/executions";
    private static final String BATCHES = "/api/v1/batches";
    private static final String BACKENDS = "/api/v1/backends";

    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final LongAdder submitted = new LongAdder();
    private final String base;
    private final String authorization;

    public Client(URI service, String key) {
        this.base = service.toString();
        this.authorization = "Bearer " + key;
    }

    /** Submits a script and waits for its end: the execution, ended. */
    public Reply run(Script script) throws IOException, InterruptedException, WrongResultException {
        Reply reply = send(post(EXECUTIONS, script.json()).header("Prefer", "wait=" + WAIT_SECONDS));
        submitted.increment();
        return reply.expect(OK);
    }

    /** Submits a script: the execution as it was accepted. */
    public Reply submit(Script script) throws IOException, InterruptedException, WrongResultException {
        Reply reply = send(post(EXECUTIONS, script.json()));
        submitted.increment();
        return reply.expect(ACCEPTED);
    }

    /** Submits a script and does not wait, not even for the answer, whatever that is. */
    public CompletableFuture<Answer> offer(Script script) {
        HttpRequest request = post(EXECUTIONS, script.json()).build();
        Instant sentAt = Instant.now();
        long start = System.nanoTime();
        return http.sendAsync(request, BodyHandlers.ofString()).thenApply(response -> {
            try {
                return answer(response, sentAt, System.nanoTime() - start);
            } catch (JsonProcessingException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Submits a script and waits for its end, unless it is refused. */
    public Answer attempt(Script script) throws IOException, InterruptedException {
        HttpRequest request = post(EXECUTIONS, script.json())
                .header("Prefer", "wait=" + WAIT_SECONDS)
                .build();
        Instant sentAt = Instant.now();
        long start = System.nanoTime();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        return answer(response, sentAt, System.nanoTime() - start);
    }

    /** Submits scripts as one batch: the batch as it was accepted, each of its scripts with it. */
    public Reply submit(List<Script> scripts) throws IOException, InterruptedException, WrongResultException {
        String lines = scripts.stream().map(Script::json).collect(Collectors.joining("\n"));
        Reply reply = send(request(BATCHES)
                        .header("Content-Type", "application/x-ndjson")
                        .POST(BodyPublishers.ofString(lines)))
                .expect(ACCEPTED);
        submitted.add(scripts.size());
        return reply;
    }

    /** Waits until all scripts of a batch have ended: their results, in the order of the batch. */
    public List<JsonNode> results(String batch) throws IOException, InterruptedException, WrongResultException {
        long end = System.nanoTime() + LONGEST_BATCH.toNanos();
        while (!get(BATCHES + "/" + batch).expect(OK).body().path("finished").asBoolean()) {
            if (System.nanoTime() > end) {
                throw new WrongResultException("batch " + batch + " has not ended after " + LONGEST_BATCH);
            }
            Thread.sleep(LOOK_MILLIS);
        }
        HttpResponse<Stream<String>> response =
                http.send(request(BATCHES + "/" + batch + "/results").GET().build(), BodyHandlers.ofLines());
        if (response.statusCode() != OK) {
            throw new WrongResultException("status " + response.statusCode() + " for the results of batch " + batch);
        }
        List<JsonNode> results = new ArrayList<>();
        for (String line : (Iterable<String>) response.body()::iterator) {
            results.add(parse(line));
        }
        return results;
    }

    /** How many scripts have been submitted by this client. */
    public long submitted() {
        return submitted.sum();
    }

    /** The execution as it is now. */
    public Reply execution(String id) throws IOException, InterruptedException, WrongResultException {
        return get(EXECUTIONS + "/" + id).expect(OK);
    }

    /** The execution at its end. */
    public Reply ended(String id) throws IOException, InterruptedException, WrongResultException {
        Reply reply = get(EXECUTIONS + "/" + id + "?wait=" + WAIT_SECONDS).expect(OK);
        if (!reply.ended()) {
            throw new WrongResultException("not ended after " + WAIT_SECONDS + " s: " + reply.body());
        }
        return reply;
    }

    public Reply cancel(String id) throws IOException, InterruptedException, WrongResultException {
        return send(post(EXECUTIONS + "/" + id + "/cancel", "")).expect(ACCEPTED);
    }

    /** The youngest executions as the list shows them, youngest first; all of them where there are no more. */
    public List<Reply> youngest(int most) throws IOException, InterruptedException, WrongResultException {
        List<Reply> found = new ArrayList<>();
        each(most, found::add);
        return found;
    }

    /** Shows the youngest executions one after the other, as {@link #youngest} does, and keeps none. */
    public void each(int most, Consumer<Reply> consumer)
            throws IOException, InterruptedException, WrongResultException {
        String cursor = "";
        int left = most;
        do {
            Reply page =
                    get(EXECUTIONS + "?limit=" + Math.min(PAGE, left) + cursor).expect(OK);
            JsonNode items = page.body().path("items");
            items.forEach(item -> consumer.accept(new Reply(OK, item, page.sentAt(), page.receivedAt(), page.nanos())));
            left -= items.size();
            JsonNode next = page.body().path("next");
            cursor = next.isTextual() ? "&cursor=" + next.asText() : "";
        } while (!cursor.isEmpty() && left > 0);
    }

    /** The first page of what an execution's trace holds. */
    public JsonNode trace(String id) throws IOException, InterruptedException, WrongResultException {
        return get(EXECUTIONS + "/" + id + "/trace").expect(OK).body().path("events");
    }

    /** All that an execution's trace holds. */
    public List<JsonNode> wholeTrace(String id) throws IOException, InterruptedException, WrongResultException {
        List<JsonNode> events = new ArrayList<>();
        JsonNode next;
        long after = 0;
        do {
            JsonNode page = get(EXECUTIONS + "/" + id + "/trace?after=" + after)
                    .expect(OK)
                    .body();
            page.path("events").forEach(events::add);
            next = page.path("next");
            after = next.asLong();
        } while (next.isIntegralNumber());
        return events;
    }

    /** Has the service start an MCP server whose hints are believed. */
    public void addServer(String name, List<String> command)
            throws IOException, InterruptedException, WrongResultException {
        ObjectNode backend = mapper.createObjectNode().put("name", name).put("kind", "mcp-stdio");
        ObjectNode settings = backend.putObject("settings").put("trustHints", true);
        settings.put("command", command.get(0));
        command.stream().skip(1).forEach(settings.putArray("args")::add);
        send(post(BACKENDS, backend.toString())).expect(CREATED);
    }

    /** Waits until calls of a backend's tools can be made. */
    public void awaitReady(String backend) throws IOException, InterruptedException, WrongResultException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        JsonNode status = MissingNode.getInstance();
        while (!"ready".equals(status.path("state").asText())) {
            if (System.nanoTime() > end) {
                throw new WrongResultException("backend " + backend + " is not ready: " + status);
            }
            Thread.sleep(LOOK_MILLIS);
            status = get(BACKENDS + "/" + backend).expect(OK).body().path("status");
        }
    }

    /** Has the service end and forget a backend. */
    public void removeBackend(String name) throws IOException, InterruptedException, WrongResultException {
        send(request(BACKENDS + "/" + name).DELETE()).expect(NO_CONTENT);
    }

    /** What the node says of itself. */
    public Gauges gauges() throws IOException, InterruptedException, WrongResultException {
        HttpResponse<String> response = http.send(request("/metrics").GET().build(), BodyHandlers.ofString());
        if (response.statusCode() != OK) {
            throw new WrongResultException("status " + response.statusCode() + " instead of " + OK + " from /metrics");
        }
        return Gauges.of(response.body());
    }

    /** Any other document of the service. */
    public Reply get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    /** A request that is turned away at the door for want of a key: the way there and back alone. */
    public Reply knock() throws IOException, InterruptedException, WrongResultException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + EXECUTIONS))
                .timeout(PATIENCE)
                .GET();
        return send(request).expect(401);
    }

    private HttpRequest.Builder post(String path, String body) {
        return request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(PATIENCE).header("Authorization", authorization);
    }

    private Reply send(HttpRequest.Builder builder) throws IOException, InterruptedException {
        HttpRequest request = builder.build();
        Instant sentAt = Instant.now();
        long start = System.nanoTime();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        return reply(response, sentAt, System.nanoTime() - start);
    }

    private Reply reply(HttpResponse<String> response, Instant sentAt, long nanos) throws JsonProcessingException {
        return new Reply(response.statusCode(), parse(response.body()), sentAt, sentAt.plusNanos(nanos), nanos);
    }

    /** Counted only if there is an execution. */
    private Answer answer(HttpResponse<String> response, Instant sentAt, long nanos) throws JsonProcessingException {
        boolean saysWhen = response.headers().firstValue("Retry-After").isPresent();
        Answer answer = new Answer(reply(response, sentAt, nanos), saysWhen);
        if (answer.accepted()) {
            submitted.increment();
        }
        return answer;
    }

    private JsonNode parse(String body) throws JsonProcessingException {
        return body.isEmpty() ? MissingNode.getInstance() : mapper.readTree(body);
    }
}
