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
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.tracecontext.TraceHeaders;

/** HTTP client for the API of a remote installation. Thread-safe. */
final class RemoteInstallationClient implements AutoCloseable {
    /** Timeout of a request that no call waits for. */
    static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

    static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(200).build())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final String API_PATH = "/api/v1";
    private static final String PROBLEM_TYPE_PREFIX = "urn:sallyport:problem:";
    private static final int MAX_RETRY_AFTER_SECONDS = 60;

    private final SingleOriginHttpClient httpClient;
    private final String key;

    /**
     * A response.
     *
     * @param status HTTP status
     * @param body JSON body; a missing node if the body is not JSON
     * @param retryAfter requested delay before the next request
     */
    record RemoteResponse(int status, JsonNode body, Optional<Duration> retryAfter) {
        /** Problem code of the response; empty if it has none. */
        String problemCode() {
            String type = body.path("type").asText();
            return type.startsWith(PROBLEM_TYPE_PREFIX) ? type.substring(PROBLEM_TYPE_PREFIX.length()) : "";
        }

        /** Reason of the failure, for people. */
        String failureReason() {
            String detail = body.path("detail").asText();
            return detail.isEmpty() ? "status " + status : RemoteResultMapper.truncate(detail);
        }
    }

    RemoteInstallationClient(SingleOriginHttpClient origin, String key) {
        this.httpClient = origin;
        this.key = key;
    }

    RemoteResponse get(String path, SingleOriginHttpClient.AbortableRequest request) throws IOException {
        return send("GET", path, new LinkedHashMap<>(), Optional.empty(), request);
    }

    RemoteResponse post(
            String path, Map<String, String> headers, String body, SingleOriginHttpClient.AbortableRequest request)
            throws IOException {
        return send("POST", path, headers, Optional.of(body), request);
    }

    private RemoteResponse send(
            String method,
            String path,
            Map<String, String> more,
            Optional<String> body,
            SingleOriginHttpClient.AbortableRequest request)
            throws IOException {
        Map<String, String> headers = new LinkedHashMap<>(more);
        headers.put("Authorization", "Bearer " + key);
        headers.put("Accept", "application/json");
        SingleOriginHttpClient.OriginResponse answer = httpClient.send(method, API_PATH + path, headers, body, request);
        return new RemoteResponse(
                answer.status(),
                parse(answer.body()),
                answer.retryAfter().flatMap(RemoteInstallationClient::parseRetryAfter));
    }

    /** Sends one request. */
    @FunctionalInterface
    interface RemoteRequest {
        RemoteResponse send() throws IOException;
    }

    /**
     * Limits the total duration of a request, however slowly the response arrives: after {@code timeout} the request is
     * aborted and cannot be reused.
     */
    static RemoteResponse withTimeout(
            Duration timeout, SingleOriginHttpClient.AbortableRequest request, RemoteRequest asking)
            throws IOException {
        CompletableFuture<Boolean> time = new CompletableFuture<>();
        time.thenRun(request::abort);
        time.completeOnTimeout(true, timeout.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return asking.send();
        } catch (IOException e) {
            throw time.isDone() ? new IOException("it did not answer within " + timeout.toMillis() + " ms", e) : e;
        } finally {
            time.cancel(false);
        }
    }

    private static JsonNode parse(String body) {
        try {
            JsonNode read = JSON.readTree(body);
            return read == null ? MissingNode.getInstance() : read;
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    /** Parses a number of seconds; a date is ignored. */
    private static Optional<Duration> parseRetryAfter(String header) {
        return header.matches("[0-9]{1,9}")
                ? Optional.of(Duration.ofSeconds(Math.min(MAX_RETRY_AFTER_SECONDS, Long.parseLong(header))))
                : Optional.empty();
    }

    /** Returns the headers of a trace; empty without a trace. */
    static Map<String, String> traceHeaders(Optional<TraceHeaders> trace) {
        Map<String, String> headers = new LinkedHashMap<>();
        trace.ifPresent(each -> each.forEach(headers::put));
        return headers;
    }

    @Override
    public void close() {
        httpClient.close();
    }
}
