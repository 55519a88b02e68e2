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
import org.sallyport.cli.api.Connections;
import org.sallyport.cli.api.Json;

/** Asks a service whether it is ready to work. The key is only sent where the service insists on it. Thread-safe. */
public final class Readiness {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final String UNAVAILABLE = "urn:sallyport:problem:unavailable";

    private final Map<Boolean, HttpClient> clients = new ConcurrentHashMap<>();
    private final Connections connections;

    public Readiness(Connections connections) {
        this.connections = connections;
    }

    /** The answer of {@code /health/ready}. */
    public Health of(URI service, Optional<String> key) {
        try {
            HttpResponse<String> response = get(service, "/health/ready", Optional.empty());
            if (closed(response) && key.isPresent()) {
                response = get(service, "/health/ready", key);
            }
            Health health = read(response.statusCode(), response.body());
            if (health.status() == Status.STRANGE) {
                return behindClosedDoors(service, health, key);
            }
            return health;
        } catch (IOException e) {
            if (Connections.isOfTls(e)) {
                return new Health(Status.UNTRUSTED, "TLS with it fails: " + e.getMessage(), List.of());
            }
            return new Health(Status.SILENT, "nothing answers", List.of());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Health(Status.SILENT, "interrupted", List.of());
        }
    }

    /** Where health is not shown to us, an answer of the API itself says as much. */
    private Health behindClosedDoors(URI service, Health health, Optional<String> key)
            throws IOException, InterruptedException {
        HttpResponse<String> response = get(service, "/api/v1/executions?limit=1", key);
        String type = response.headers().firstValue("Content-Type").orElse("");
        if (response.statusCode() == 200 && type.contains("json")) {
            return new Health(Status.READY, "answers requests (health is not shown)", List.of());
        }
        if (closed(response) && type.contains("problem+json")) {
            return new Health(Status.READY, "answers, but does not accept the key", List.of());
        }
        return health;
    }

    private HttpResponse<String> get(URI service, String path, Optional<String> key)
            throws IOException, InterruptedException {
        String base = service.toString().replaceAll("/+$", "");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(PATIENCE)
                .header("Accept", "application/json");
        key.ifPresent(value -> request.header("Authorization", "Bearer " + value));
        HttpClient client = clients.computeIfAbsent(
                "https".equals(service.getScheme()), encrypted -> connections.to(service, PATIENCE));
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static boolean closed(HttpResponse<String> response) {
        return response.statusCode() == 401 || response.statusCode() == 403;
    }

    static Health read(int httpStatus, String body) {
        JsonNode json;
        try {
            json = Json.parse(body);
        } catch (JsonProcessingException e) {
            json = Json.object();
        }
        boolean health = json.path("status").isTextual() && json.path("checks").isArray();
        if (!health) {
            boolean later = httpStatus == 503 && json.path("type").asText().equals(UNAVAILABLE);
            return new Health(
                    Status.STRANGE,
                    later ? "starting, or without its database" : "answers with status " + httpStatus,
                    List.of());
        }
        List<Check> checks = new ArrayList<>();
        json.path("checks")
                .forEach(check -> checks.add(new Check(
                        check.path("name").asText(),
                        "UP".equals(check.path("status").asText()),
                        check.path("data"))));
        boolean up = "UP".equals(json.path("status").asText());
        // An application server without its application is ready too, and says so with no check at all.
        Status status = up && !checks.isEmpty() ? Status.READY : Status.NOT_READY;
        return new Health(status, up ? "ready" : "not ready", checks);
    }

    /** How a service answered. */
    public enum Status {
        /** Nothing listens, or it does not answer. */
        SILENT,
        /** Somebody answers by TLS, and one does not believe the other. */
        UNTRUSTED,
        /** Something answers that is not (or not yet) Sallyport. */
        STRANGE,
        /** Sallyport answers that it is not ready. */
        NOT_READY,
        READY
    }

    /**
     * What a service says about itself.
     *
     * @param summary a few words for people
     */
    public record Health(Status status, String summary, List<Check> checks) {
        public Health {
            checks = List.copyOf(checks);
        }

        public boolean ready() {
            return status == Status.READY;
        }
    }

    /**
     * One check of the service's health.
     *
     * @param data what the check tells besides, an object or nothing
     */
    public record Check(String name, boolean up, JsonNode data) {}
}
