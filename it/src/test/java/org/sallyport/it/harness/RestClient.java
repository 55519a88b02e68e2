package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;

/** A client of the REST API that returns responses unchanged. Thread-safe. */
public final class RestClient {
    /** Path of the executions. */
    public static final String EXECUTIONS = "/api/v1/executions";

    private static final Set<String> TERMINAL = Set.of("COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT");
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    private final HttpClient http;
    private final URI base;
    private final Optional<String> key;

    /** @param key API key that the client sends with each request, if present */
    public RestClient(URI base, Optional<String> key) {
        this(newHttpClient(HttpClient.newBuilder()), base, key);
    }

    /** @param encryption the certificates that the client trusts and presents */
    public RestClient(SSLContext encryption, URI base, Optional<String> key) {
        this(newHttpClient(HttpClient.newBuilder().sslContext(encryption)), base, key);
    }

    private RestClient(HttpClient http, URI base, Optional<String> key) {
        this.http = http;
        this.base = base;
        this.key = key;
    }

    private static HttpClient newHttpClient(HttpClient.Builder builder) {
        return builder.version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(30))
                .build();
    }

    /** A client of the same server with another key. */
    public RestClient withKey(String otherKey) {
        return new RestClient(http, base, Optional.of(otherKey));
    }

    /** A client of the same server without a key. */
    public RestClient withoutKey() {
        return new RestClient(http, base, Optional.empty());
    }

    /** A builder of a request that carries the key. */
    public HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(90));
        key.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        return request;
    }

    /** A JSON body. */
    public static BodyPublisher body(String json) {
        return BodyPublishers.ofByteArray(json.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a request. */
    public RestResponse send(HttpRequest.Builder request) {
        try {
            return RestResponse.of(http.send(request.build(), BodyHandlers.ofByteArray()));
        } catch (IOException e) {
            throw new AssertionError("no answer from " + request.build().uri() + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Sends a request without waiting for the response. */
    public CompletableFuture<RestResponse> sendAsync(HttpRequest.Builder request) {
        return http.sendAsync(request.build(), BodyHandlers.ofByteArray()).thenApply(RestResponse::of);
    }

    public RestResponse get(String path) {
        return send(request(path));
    }

    /**
     * Reads all pages of a list.
     *
     * @param path with a query
     */
    public List<JsonNode> listAll(String path) {
        List<JsonNode> items = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = get(path + cursor).expectStatus(200).json();
            page.path("items").forEach(items::add);
            cursor = page.path("next").isTextual()
                    ? "&cursor=" + URLEncoder.encode(page.path("next").asText(), StandardCharsets.UTF_8)
                    : "";
        } while (!cursor.isEmpty());
        return items;
    }

    public RestResponse post(String path, String json) {
        return send(request(path).header("Content-Type", "application/json").POST(body(json)));
    }

    /** A submission request, with headers as pairs of name and value. */
    public HttpRequest.Builder submissionRequest(String json, String... headers) {
        HttpRequest.Builder request =
                request(EXECUTIONS).header("Content-Type", "application/json").POST(body(json));
        return headers.length == 0 ? request : request.headers(headers);
    }

    /** Submits and returns the id of the accepted execution. */
    public String submit(SubmissionBody submission) {
        return post(EXECUTIONS, submission.json())
                .expectStatus(202)
                .json()
                .path("id")
                .asText();
    }

    /** Submits and waits for the end. Returns the whole execution. */
    public JsonNode run(SubmissionBody submission) {
        RestResponse answer = send(submissionRequest(submission.json(), "Prefer", "wait=30"));
        if (answer.status() == 200) {
            return answer.json();
        }
        return awaitEnd(answer.expectStatus(202).json().path("id").asText());
    }

    /** Fetches an execution. */
    public JsonNode getExecution(String id) {
        return get(EXECUTIONS + "/" + id).expectStatus(200).json();
    }

    /** Waits until an execution has ended, and returns it. */
    public JsonNode awaitEnd(String id) {
        return Await.untilPresent(
                "execution " + id + " has ended",
                TIMEOUT,
                () -> Optional.of(get(EXECUTIONS + "/" + id + "?wait=20")
                                .expectStatus(200)
                                .json())
                        .filter(RestClient::isFinished));
    }

    /**
     * Waits until an execution runs, and returns it. Throws {@link AssertionError} if the execution ended before a poll
     * saw it running.
     */
    public JsonNode awaitRunning(String id) {
        JsonNode seen = Await.untilPresent(
                "execution " + id + " runs",
                TIMEOUT,
                () -> Optional.of(getExecution(id))
                        .filter(now -> !now.path("state").asText().equals("PENDING")));
        if (!seen.path("state").asText().equals("RUNNING")) {
            throw new AssertionError("was to run: " + seen);
        }
        return seen;
    }

    /** Waits until the output of an execution contains a text, and returns the execution. */
    public JsonNode awaitOutput(String id, String text) {
        return Await.untilPresent(
                "execution " + id + " has printed " + text,
                TIMEOUT,
                () -> Optional.of(getExecution(id))
                        .filter(now -> now.path("output").asText().contains(text)));
    }

    /** Waits until the error output of an execution contains a text, and returns the execution. */
    public JsonNode awaitErrorOutput(String id, String text) {
        return Await.untilPresent(
                "execution " + id + " has said " + text,
                TIMEOUT,
                () -> Optional.of(getExecution(id))
                        .filter(now -> now.path("errorOutput").asText().contains(text)));
    }

    /** Creates a key with all roles in the tenant of this key, which must be an administrator's. */
    public String createKeyWithAllRoles(String name) {
        return post(
                        "/api/v1/api-keys",
                        "{\"name\": \"" + name
                                + "\", \"roles\": [\"admin\", \"operator\", \"approver\", \"submitter\", \"auditor\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
    }

    public RestResponse cancel(String id) {
        return send(request(EXECUTIONS + "/" + id + "/cancel").POST(BodyPublishers.noBody()));
    }

    /** Reads all pages of a trace. */
    public List<JsonNode> getTrace(String id) {
        List<JsonNode> events = new ArrayList<>();
        JsonNode page = get(EXECUTIONS + "/" + id + "/trace").expectStatus(200).json();
        page.path("events").forEach(events::add);
        while (page.path("next").isNumber()) {
            page = get(EXECUTIONS + "/" + id + "/trace?after="
                            + page.path("next").asLong())
                    .expectStatus(200)
                    .json();
            page.path("events").forEach(events::add);
        }
        return events;
    }

    /** The ids of all executions, newest first, from all pages. */
    public List<String> listExecutionIds() {
        return listExecutionIds(any -> true);
    }

    /** The ids of the executions that match, newest first, from all pages. */
    public List<String> listExecutionIds(Predicate<JsonNode> meant) {
        List<String> ids = new ArrayList<>();
        String cursor = "";
        while (true) {
            JsonNode page =
                    get(EXECUTIONS + "?limit=200" + cursor).expectStatus(200).json();
            page.path("items").forEach(item -> {
                if (meant.test(item)) {
                    ids.add(item.path("id").asText());
                }
            });
            if (page.path("next").isNull()) {
                return ids;
            }
            cursor = "&cursor=" + page.path("next").asText();
        }
    }

    /** Returns whether an execution is in a terminal state. */
    public static boolean isFinished(JsonNode execution) {
        return TERMINAL.contains(execution.path("state").asText());
    }
}
