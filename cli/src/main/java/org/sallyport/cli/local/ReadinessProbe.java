package org.sallyport.cli.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.HttpClientFactory;

/** Checks whether a service is ready. Sends the key only where the service requires it. Thread-safe. */
public final class ReadinessProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final String UNAVAILABLE_TYPE = "urn:sallyport:problem:unavailable";

    private final Map<Boolean, HttpClient> clients = new ConcurrentHashMap<>();
    private final HttpClientFactory clientFactory;

    public ReadinessProbe(HttpClientFactory connections) {
        this.clientFactory = connections;
    }

    /** Returns the result of {@code /health/ready}. */
    public ServiceHealth check(URI service, Optional<String> key) {
        try {
            HttpResponse<String> response = get(service, "/health/ready", Optional.empty());
            if (isUnauthorized(response) && key.isPresent()) {
                response = get(service, "/health/ready", key);
            }
            ServiceHealth health = parse(response.statusCode(), response.body());
            if (health.status() == ReadinessStatus.STRANGE) {
                return checkByApi(service, health, key);
            }
            return health;
        } catch (IOException e) {
            if (HttpClientFactory.isTlsFailure(e)) {
                return new ServiceHealth(
                        ReadinessStatus.UNTRUSTED, "TLS connection failed: " + e.getMessage(), List.of());
            }
            return new ServiceHealth(ReadinessStatus.SILENT, "no answer", List.of());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ServiceHealth(ReadinessStatus.SILENT, "interrupted", List.of());
        }
    }

    /** Where the service does not show its health, a response of the API is equivalent. */
    private ServiceHealth checkByApi(URI service, ServiceHealth health, Optional<String> key)
            throws IOException, InterruptedException {
        HttpResponse<String> response = get(service, "/api/v1/executions?limit=1", key);
        String type = response.headers().firstValue("Content-Type").orElse("");
        if (response.statusCode() == 200 && type.contains("json")) {
            return new ServiceHealth(ReadinessStatus.READY, "answers requests (its health is not visible)", List.of());
        }
        if (isUnauthorized(response) && type.contains("problem+json")) {
            return new ServiceHealth(ReadinessStatus.READY, "answers, but does not accept the key", List.of());
        }
        return health;
    }

    private HttpResponse<String> get(URI service, String path, Optional<String> key)
            throws IOException, InterruptedException {
        String base = service.toString().replaceAll("/+$", "");
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(TIMEOUT).header("Accept", "application/json");
        key.ifPresent(value -> request.header("Authorization", "Bearer " + value));
        HttpClient client = clients.computeIfAbsent(
                "https".equals(service.getScheme()), encrypted -> clientFactory.createClient(service, TIMEOUT));
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static boolean isUnauthorized(HttpResponse<String> response) {
        return response.statusCode() == 401 || response.statusCode() == 403;
    }

    static ServiceHealth parse(int httpStatus, String body) {
        JsonNode json;
        try {
            json = ApiJson.parse(body);
        } catch (JsonProcessingException e) {
            json = ApiJson.object();
        }
        boolean health = json.path("status").isTextual() && json.path("checks").isArray();
        if (!health) {
            boolean later = httpStatus == 503 && json.path("type").asText().equals(UNAVAILABLE_TYPE);
            return new ServiceHealth(
                    ReadinessStatus.STRANGE,
                    later ? "starting, or its database is unavailable" : "answers with status " + httpStatus,
                    List.of());
        }
        List<HealthCheckResult> checks = new ArrayList<>();
        json.path("checks")
                .forEach(check -> checks.add(new HealthCheckResult(
                        check.path("name").asText(),
                        "UP".equals(check.path("status").asText()),
                        check.path("data"))));
        boolean up = "UP".equals(json.path("status").asText());
        // An application server without its application also reports ready, but without checks.
        ReadinessStatus status = up && !checks.isEmpty() ? ReadinessStatus.READY : ReadinessStatus.NOT_READY;
        return new ServiceHealth(status, up ? "ready" : "not ready", checks);
    }

    /** Status of a service. */
    public enum ReadinessStatus {
        /** No process listens, or it does not answer. */
        SILENT,
        /** A service answers over TLS, and one side does not trust the other. */
        UNTRUSTED,
        /** The response does not come from Sallyport, or not yet. */
        STRANGE,
        /** Sallyport answers that it is not ready. */
        NOT_READY,
        READY
    }

    /**
     * Health of a service.
     *
     * @param summary short text for people
     */
    public record ServiceHealth(ReadinessStatus status, String summary, List<HealthCheckResult> checks) {
        public ServiceHealth {
            checks = List.copyOf(checks);
        }

        public boolean isReady() {
            return status == ReadinessStatus.READY;
        }
    }

    /**
     * Result of one health check.
     *
     * @param data details of the check, an object or missing
     */
    public record HealthCheckResult(String name, boolean up, JsonNode data) {}
}
