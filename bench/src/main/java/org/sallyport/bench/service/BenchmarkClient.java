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

/** HTTP client of the benchmark. Keeps its connections open and counts its submissions. Thread-safe. */
public final class BenchmarkClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration MAX_BATCH_TIME = Duration.ofMinutes(10);
    private static final int PAGE_SIZE = 200;
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int ACCEPTED = 202;
    private static final int NO_CONTENT = 204;
    private static final long POLL_MILLIS = 50;
    private static final String WAIT_SECONDS = "30";
    private static final String EXECUTIONS = "/api/v1/executions";
    private static final String BATCHES = "/api/v1/batches";
    private static final String CAPABILITIES = "/api/v1/capabilities";
    private static final String BACKENDS = "/api/v1/backends";

    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final LongAdder submitted = new LongAdder();
    private final String base;
    private final String authorization;

    public BenchmarkClient(URI service, String key) {
        this.base = service.toString();
        this.authorization = "Bearer " + key;
    }

    /** Submits a script, waits for its end, and returns the ended execution. */
    public TimedResponse run(BenchmarkScript script) throws IOException, InterruptedException, WrongResultException {
        TimedResponse reply = send(post(EXECUTIONS, script.json()).header("Prefer", "wait=" + WAIT_SECONDS));
        submitted.increment();
        return reply.expectStatus(OK);
    }

    /** Submits a script and returns the accepted execution. */
    public TimedResponse submit(BenchmarkScript script) throws IOException, InterruptedException, WrongResultException {
        TimedResponse reply = send(post(EXECUTIONS, script.json()));
        submitted.increment();
        return reply.expectStatus(ACCEPTED);
    }

    /**
     * Submits a script without waiting for the response. The future completes normally with a response of any status.
     */
    public CompletableFuture<SubmissionResponse> submitAsync(BenchmarkScript script) {
        HttpRequest request = post(EXECUTIONS, script.json()).build();
        Instant sentAt = Instant.now();
        long start = System.nanoTime();
        return http.sendAsync(request, BodyHandlers.ofString()).thenApply(response -> {
            try {
                return toSubmissionResponse(response, sentAt, System.nanoTime() - start);
            } catch (JsonProcessingException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Submits a script and waits for its end, unless the service rejects it. */
    public SubmissionResponse trySubmitAndWait(BenchmarkScript script) throws IOException, InterruptedException {
        HttpRequest request = post(EXECUTIONS, script.json())
                .header("Prefer", "wait=" + WAIT_SECONDS)
                .build();
        Instant sentAt = Instant.now();
        long start = System.nanoTime();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        return toSubmissionResponse(response, sentAt, System.nanoTime() - start);
    }

    /** Submits scripts as one batch and returns the accepted batch with its executions. */
    public TimedResponse submit(List<BenchmarkScript> scripts)
            throws IOException, InterruptedException, WrongResultException {
        String lines = scripts.stream().map(BenchmarkScript::json).collect(Collectors.joining("\n"));
        return submitBatch("", "application/x-ndjson", lines, scripts.size());
    }

    /**
     * Submits a batch that runs a capability for each row, and returns the accepted batch with its executions.
     *
     * @param csv the rows, with a header
     * @param rows their number
     */
    public TimedResponse submitRows(String capability, String csv, int rows)
            throws IOException, InterruptedException, WrongResultException {
        return submitBatch("?capability=" + capability, "text/csv", csv, rows);
    }

    private TimedResponse submitBatch(String query, String type, String body, int items)
            throws IOException, InterruptedException, WrongResultException {
        TimedResponse reply = send(request(BATCHES + query)
                        .header("Content-Type", type)
                        .POST(BodyPublishers.ofString(body)))
                .expectStatus(ACCEPTED);
        submitted.add(items);
        return reply;
    }

    /** Publishes a script with an integer {@code n} as its argument. */
    public void publish(String capability, BenchmarkScript script)
            throws IOException, InterruptedException, WrongResultException {
        ObjectNode body = mapper.createObjectNode()
                .put("name", capability)
                .put("version", "1.0.0")
                .put(script.member(), script.text());
        body.putObject("inputSchema")
                .put("type", "object")
                .putObject("properties")
                .putObject("n")
                .put("type", "integer");
        body.putArray("tools").add("demo.echo");
        send(post(CAPABILITIES, body.toString())).expectStatus(CREATED);
    }

    /**
     * Waits until all scripts of a batch have ended, and returns their results in the order of the batch.
     *
     * @throws WrongResultException if the batch has not ended after ten minutes
     */
    public List<JsonNode> awaitBatchResults(String batch)
            throws IOException, InterruptedException, WrongResultException {
        long end = System.nanoTime() + MAX_BATCH_TIME.toNanos();
        while (!get(BATCHES + "/" + batch)
                .expectStatus(OK)
                .body()
                .path("finished")
                .asBoolean()) {
            if (System.nanoTime() > end) {
                throw new WrongResultException("batch " + batch + " has not ended after " + MAX_BATCH_TIME);
            }
            Thread.sleep(POLL_MILLIS);
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

    /** Returns the number of scripts that this client has submitted. */
    public long submittedCount() {
        return submitted.sum();
    }

    /** Returns the current state of an execution. */
    public TimedResponse execution(String id) throws IOException, InterruptedException, WrongResultException {
        return get(EXECUTIONS + "/" + id).expectStatus(OK);
    }

    /**
     * Waits for the end of an execution and returns it.
     *
     * @throws WrongResultException if it has not ended after 30 seconds
     */
    public TimedResponse awaitEnd(String id) throws IOException, InterruptedException, WrongResultException {
        TimedResponse reply =
                get(EXECUTIONS + "/" + id + "?wait=" + WAIT_SECONDS).expectStatus(OK);
        if (!reply.hasEnded()) {
            throw new WrongResultException("an execution has not ended after " + WAIT_SECONDS + " s: " + reply.body());
        }
        return reply;
    }

    public TimedResponse cancel(String id) throws IOException, InterruptedException, WrongResultException {
        return send(post(EXECUTIONS + "/" + id + "/cancel", "")).expectStatus(ACCEPTED);
    }

    /** Returns the newest executions, newest first; all of them if there are at most {@code maxCount}. */
    public List<TimedResponse> listNewest(int maxCount) throws IOException, InterruptedException, WrongResultException {
        List<TimedResponse> found = new ArrayList<>();
        forEachNewest(maxCount, found::add);
        return found;
    }

    /**
     * Passes the newest executions to the consumer in the order of {@link #listNewest}, without keeping them in memory.
     */
    public void forEachNewest(int maxCount, Consumer<TimedResponse> consumer)
            throws IOException, InterruptedException, WrongResultException {
        String cursor = "";
        int left = maxCount;
        do {
            TimedResponse page = get(EXECUTIONS + "?limit=" + Math.min(PAGE_SIZE, left) + cursor)
                    .expectStatus(OK);
            JsonNode items = page.body().path("items");
            items.forEach(item ->
                    consumer.accept(new TimedResponse(OK, item, page.sentAt(), page.receivedAt(), page.nanos())));
            left -= items.size();
            JsonNode next = page.body().path("next");
            cursor = next.isTextual() ? "&cursor=" + next.asText() : "";
        } while (!cursor.isEmpty() && left > 0);
    }

    /** Returns the events of the first page of the trace of an execution. */
    public JsonNode firstTracePage(String id) throws IOException, InterruptedException, WrongResultException {
        return get(EXECUTIONS + "/" + id + "/trace").expectStatus(OK).body().path("events");
    }

    /** Returns all events of the trace of an execution. */
    public List<JsonNode> fullTrace(String id) throws IOException, InterruptedException, WrongResultException {
        List<JsonNode> events = new ArrayList<>();
        JsonNode next;
        long after = 0;
        do {
            JsonNode page = get(EXECUTIONS + "/" + id + "/trace?after=" + after)
                    .expectStatus(OK)
                    .body();
            page.path("events").forEach(events::add);
            next = page.path("next");
            after = next.asLong();
        } while (next.isIntegralNumber());
        return events;
    }

    /** Adds a backend that starts an MCP server and trusts its hints. */
    public void addMcpServer(String name, List<String> command)
            throws IOException, InterruptedException, WrongResultException {
        ObjectNode backend = mapper.createObjectNode().put("name", name).put("kind", "mcp-stdio");
        ObjectNode settings = backend.putObject("settings").put("trustHints", true);
        settings.put("command", command.get(0));
        command.stream().skip(1).forEach(settings.putArray("args")::add);
        send(post(BACKENDS, backend.toString())).expectStatus(CREATED);
    }

    /** Waits until the tools of a backend can be called. */
    public void awaitReady(String backend) throws IOException, InterruptedException, WrongResultException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        JsonNode status = MissingNode.getInstance();
        while (!"ready".equals(status.path("state").asText())) {
            if (System.nanoTime() > end) {
                throw new WrongResultException("backend " + backend + " is not ready: " + status);
            }
            Thread.sleep(POLL_MILLIS);
            status = get(BACKENDS + "/" + backend).expectStatus(OK).body().path("status");
        }
    }

    /** Removes a backend; the service ends its program. */
    public void removeBackend(String name) throws IOException, InterruptedException, WrongResultException {
        send(request(BACKENDS + "/" + name).DELETE()).expectStatus(NO_CONTENT);
    }

    /** Returns the metrics of the node. */
    public NodeGauges gauges() throws IOException, InterruptedException, WrongResultException {
        HttpResponse<String> response = http.send(request("/metrics").GET().build(), BodyHandlers.ofString());
        if (response.statusCode() != OK) {
            throw new WrongResultException("status " + response.statusCode() + " instead of " + OK + " from /metrics");
        }
        return NodeGauges.parse(response.body());
    }

    /** Sends a GET request for any other path of the service. */
    public TimedResponse get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    /** Sends a request without an API key, which the service rejects with 401. Measures HTTP alone. */
    public TimedResponse requestWithoutKey() throws IOException, InterruptedException, WrongResultException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + EXECUTIONS))
                .timeout(TIMEOUT)
                .GET();
        return send(request).expectStatus(401);
    }

    private HttpRequest.Builder post(String path, String body) {
        return request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(TIMEOUT).header("Authorization", authorization);
    }

    private TimedResponse send(HttpRequest.Builder builder) throws IOException, InterruptedException {
        HttpRequest request = builder.build();
        Instant sentAt = Instant.now();
        long start = System.nanoTime();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        return toTimedResponse(response, sentAt, System.nanoTime() - start);
    }

    private TimedResponse toTimedResponse(HttpResponse<String> response, Instant sentAt, long nanos)
            throws JsonProcessingException {
        return new TimedResponse(response.statusCode(), parse(response.body()), sentAt, sentAt.plusNanos(nanos), nanos);
    }

    /** Counts the submission only if the service accepted it. */
    private SubmissionResponse toSubmissionResponse(HttpResponse<String> response, Instant sentAt, long nanos)
            throws JsonProcessingException {
        boolean saysWhen = response.headers().firstValue("Retry-After").isPresent();
        SubmissionResponse answer = new SubmissionResponse(toTimedResponse(response, sentAt, nanos), saysWhen);
        if (answer.isAccepted()) {
            submitted.increment();
        }
        return answer;
    }

    private JsonNode parse(String body) throws JsonProcessingException {
        return body.isEmpty() ? MissingNode.getInstance() : mapper.readTree(body);
    }
}
