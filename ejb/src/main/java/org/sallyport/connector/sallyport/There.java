package org.sallyport.connector.sallyport;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.sallyport.connector.http.Origin;
import org.sallyport.tracecontext.TraceHeaders;

/** The other installation's door. Thread-safe. */
final class There implements AutoCloseable {
    /** How long a request may take that nobody waits for. */
    static final Duration LONGEST = Duration.ofSeconds(60);

    static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(200).build())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final String BASE = "/api/v1";
    private static final String PROBLEM = "urn:sallyport:problem:";
    private static final int LONGEST_PAUSE_SECONDS = 60;

    private final Origin origin;
    private final String key;

    /**
     * An answer.
     *
     * @param status of HTTP
     * @param body what it says; missing when that is no JSON
     * @param pause how long it wants not to be asked
     */
    record Answer(int status, JsonNode body, Optional<Duration> pause) {
        /** The code of the problem that it tells; empty when it tells none. */
        String problem() {
            String type = body.path("type").asText();
            return type.startsWith(PROBLEM) ? type.substring(PROBLEM.length()) : "";
        }

        /** What it says went wrong, for people. */
        String why() {
            String detail = body.path("detail").asText();
            return detail.isEmpty() ? "status " + status : RemoteAnswers.cut(detail);
        }
    }

    There(Origin origin, String key) {
        this.origin = origin;
        this.key = key;
    }

    Answer get(String path, Origin.Request request) throws IOException {
        return ask("GET", path, new LinkedHashMap<>(), Optional.empty(), request);
    }

    Answer post(String path, Map<String, String> headers, String body, Origin.Request request) throws IOException {
        return ask("POST", path, headers, Optional.of(body), request);
    }

    private Answer ask(
            String method, String path, Map<String, String> more, Optional<String> body, Origin.Request request)
            throws IOException {
        Map<String, String> headers = new LinkedHashMap<>(more);
        headers.put("Authorization", "Bearer " + key);
        headers.put("Accept", "application/json");
        Origin.Answer answer = origin.ask(method, BASE + path, headers, body, request);
        return new Answer(
                answer.status(), read(answer.body()), answer.retryAfter().flatMap(There::seconds));
    }

    /** Asks for something. */
    @FunctionalInterface
    interface Asking {
        Answer ask() throws IOException;
    }

    /** However slowly the answer comes: after {@code most} the request is over, and cannot be used again. */
    static Answer within(Duration most, Origin.Request request, Asking asking) throws IOException {
        CompletableFuture<Boolean> time = new CompletableFuture<>();
        time.thenRun(request::abort);
        time.completeOnTimeout(true, most.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return asking.ask();
        } catch (IOException e) {
            throw time.isDone() ? new IOException("it did not answer within " + most.toMillis() + " ms", e) : e;
        } finally {
            time.cancel(false);
        }
    }

    private static JsonNode read(String body) {
        try {
            JsonNode read = JSON.readTree(body);
            return read == null ? MissingNode.getInstance() : read;
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    /** As a number; a date is as good as none. */
    private static Optional<Duration> seconds(String header) {
        return header.matches("[0-9]{1,9}")
                ? Optional.of(Duration.ofSeconds(Math.min(LONGEST_PAUSE_SECONDS, Long.parseLong(header))))
                : Optional.empty();
    }

    /** The headers that name a trace. */
    static Map<String, String> headers(Optional<TraceHeaders> trace) {
        Map<String, String> headers = new LinkedHashMap<>();
        trace.ifPresent(each -> each.each(headers::put));
        return headers;
    }

    @Override
    public void close() {
        origin.close();
    }
}
