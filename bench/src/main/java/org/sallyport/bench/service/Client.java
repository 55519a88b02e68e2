package org.sallyport.bench.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.sallyport.bench.measure.WrongResultException;

/**
 * The requests that the benchmark makes, over connections that stay open. Counts what it has submitted. Thread-safe.
 */
public final class Client {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PAGE = 200;
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final String WAIT_SECONDS = "30";
    private static final String EXECUTIONS = "/api/v1/executions";

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
        long nanos = System.nanoTime() - start;
        return new Reply(response.statusCode(), parse(response.body()), sentAt, sentAt.plusNanos(nanos), nanos);
    }

    private JsonNode parse(String body) throws JsonProcessingException {
        return body.isEmpty() ? MissingNode.getInstance() : mapper.readTree(body);
    }
}
