package org.sallyport.cli.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Client of {@code /api/v1}. Every method throws {@link ApiProblemException} when the service rejects the request, and
 * {@link ServiceUnreachableException} when it does not respond. Thread-safe.
 */
public final class SallyportApiClient {
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONG_REQUEST_TIMEOUT = Duration.ofMinutes(10);
    /** Without this limit, a service that repeats its cursors would cause an endless loop. */
    private static final int MAX_PAGES = 10_000;
    /** Number of approvals that are listed, if there are so many. */
    private static final int MIN_APPROVALS = 50;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient http;
    private final URI service;
    private final Optional<String> key;

    /**
     * @param service address of the service without {@code /api/v1}
     * @param key the API key; without one the service rejects most requests
     */
    public SallyportApiClient(HttpClientFactory connections, URI service, Optional<String> key) {
        this.http = connections.createClient(service, CONNECT_TIMEOUT);
        this.service = service;
        this.key = key;
    }

    /** Submits a script. The body has the members of the API's submission. */
    public ApiSubmissionResult submit(ObjectNode submission, Optional<String> idempotencyKey) {
        return postSubmission("/executions", submission, idempotencyKey);
    }

    /** Runs an execution again. The body has the members of the API's re-run. */
    public ApiSubmissionResult rerun(String id, ObjectNode rerun, Optional<String> idempotencyKey) {
        return postSubmission("/executions/" + encode(id) + "/rerun", rerun, idempotencyKey);
    }

    /** Returns the API's document about the differences between two executions. */
    public ObjectNode diff(String id, String other) {
        return object(
                send(request("/executions/" + encode(id) + "/diff" + query(Map.of("with", other)), RESPONSE_TIMEOUT)));
    }

    private ApiSubmissionResult postSubmission(String path, ObjectNode body, Optional<String> idempotencyKey) {
        HttpRequest.Builder request = request(path, RESPONSE_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ApiJson.compact(body)));
        idempotencyKey.ifPresent(value -> request.header("Idempotency-Key", value));
        HttpResponse<String> response = send(request);
        ObjectNode json = object(response);
        if (!json.hasNonNull("id")) {
            response.headers()
                    .firstValue("Location")
                    .ifPresent(location -> json.put("id", location.substring(location.lastIndexOf('/') + 1)));
        }
        boolean replayed = "true"
                .equals(response.headers().firstValue("Idempotent-Replayed").orElse(""));
        return new ApiSubmissionResult(new ApiExecution(json), replayed);
    }

    /** Returns the current execution. */
    public ApiExecution execution(String id) {
        return new ApiExecution(object(send(request("/executions/" + encode(id), RESPONSE_TIMEOUT))));
    }

    /** Returns the execution when it has ended or after the wait, with its output after the given offsets. */
    public ApiExecution execution(String id, Duration wait, long outputOffset, long errorOffset) {
        String path = "/executions/" + encode(id)
                + query(Map.of(
                        "wait", Long.toString(wait.toSeconds()),
                        "outputOffset", Long.toString(outputOffset),
                        "errorOffset", Long.toString(errorOffset)));
        return new ApiExecution(object(send(request(path, RESPONSE_TIMEOUT.plus(wait)))));
    }

    /**
     * Returns the next pieces of an execution's output after the given offsets, in the order in which the script wrote
     * both streams; none if there is no more output.
     */
    public List<JsonNode> outputPieces(String id, long outputOffset, long errorOffset) {
        String path = "/executions/" + encode(id) + "/output/pieces"
                + query(Map.of("outputOffset", Long.toString(outputOffset), "errorOffset", Long.toString(errorOffset)));
        List<JsonNode> pieces = new ArrayList<>();
        object(send(request(path, RESPONSE_TIMEOUT))).path("pieces").forEach(pieces::add);
        return pieces;
    }

    /**
     * Opens the event stream of an execution.
     *
     * @param lastEvent id of the last received event, after which the stream begins; empty for all events. The stream
     *     is empty if this was the last event of an ended execution.
     */
    public EventStream events(String id, Optional<String> lastEvent) {
        HttpRequest.Builder request = request("/executions/" + encode(id) + "/events", RESPONSE_TIMEOUT)
                .setHeader("Accept", "text/event-stream, application/problem+json");
        lastEvent.ifPresent(value -> request.header("Last-Event-ID", value));
        return new EventStream(
                service, send(request, BodyHandlers.ofInputStream()).body());
    }

    /** Emits an event. The body has the members of the API's event. */
    public ObjectNode emitEvent(ObjectNode event, String idempotencyKey) {
        return object(send(request("/events", RESPONSE_TIMEOUT)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", idempotencyKey)
                .POST(BodyPublishers.ofString(ApiJson.compact(event)))));
    }

    /**
     * Opens the stream of the tenant's events.
     *
     * @param names names of the events; empty for all
     * @param lastEvent id of the last received event, after which the stream begins; empty for events from now on
     */
    public EventStream tenantEvents(List<String> names, Optional<String> lastEvent) {
        List<Map.Entry<String, String>> parameters =
                names.stream().map(name -> Map.entry("name", name)).toList();
        HttpRequest.Builder request = request("/events" + query(parameters), RESPONSE_TIMEOUT)
                .setHeader("Accept", "text/event-stream, application/problem+json");
        lastEvent.ifPresent(value -> request.header("Last-Event-ID", value));
        return new EventStream(
                service, send(request, BodyHandlers.ofInputStream()).body());
    }

    /** Returns the source as it was submitted. */
    public String sourceCode(String id) {
        HttpResponse<String> response = send(request("/executions/" + encode(id) + "/code", RESPONSE_TIMEOUT));
        boolean json = response.headers().firstValue("Content-Type").orElse("").contains("json");
        return json ? ApiJson.text(object(response), "code") : response.body();
    }

    /** Returns all events of the execution's trace. */
    public ApiTrace trace(String id) {
        List<ApiTraceEvent> events = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        for (int page = 0; page < MAX_PAGES; page++) {
            String query = cursor.map(value -> query(Map.of("after", value))).orElse("");
            ObjectNode json = object(send(request("/executions/" + encode(id) + "/trace" + query, RESPONSE_TIMEOUT)));
            json.path("events").forEach(event -> events.add(new ApiTraceEvent(event)));
            Optional<String> next = nextCursor(json);
            if (next.isEmpty() || next.equals(cursor)) {
                break;
            }
            cursor = next;
        }
        return new ApiTrace(events);
    }

    /** Requests the cancellation of an execution. The response may still show it running. */
    public ApiExecution cancel(String id, Optional<String> reason) {
        ObjectNode body = ApiJson.object();
        reason.ifPresent(text -> body.put("reason", text));
        return new ApiExecution(post("/executions", body, id, "cancel"));
    }

    /** Cancels the executions that match the parameters of the API, up to its limit per request. */
    public ObjectNode cancelSelection(List<Map.Entry<String, String>> parameters, Optional<String> reason) {
        ObjectNode body = ApiJson.object();
        reason.ifPresent(text -> body.put("reason", text));
        return post("/executions/cancel" + query(parameters), body);
    }

    /** Returns one page of executions. Query parameters as in the API; some of them may be repeated. */
    public ApiExecutionPage listExecutions(List<Map.Entry<String, String>> parameters) {
        ObjectNode json = object(send(request("/executions" + query(parameters), RESPONSE_TIMEOUT)));
        List<ApiExecution> executions = new ArrayList<>();
        json.path("items").forEach(item -> executions.add(new ApiExecution(item)));
        return new ApiExecutionPage(executions, nextCursor(json), json);
    }

    /**
     * Returns the newest approvals in one page. The pages of the API are shorter if the approvals have large arguments.
     *
     * @param decided whether to include the decided approvals
     */
    public ObjectNode approvals(boolean decided) {
        String state = decided ? "any" : "pending";
        ObjectNode all = approvals(Map.of("state", state));
        Optional<String> cursor = nextCursor(all);
        // Each page has at least one approval.
        for (int pages = 1;
                pages < MIN_APPROVALS && cursor.isPresent() && all.path("items").size() < MIN_APPROVALS;
                pages++) {
            String last = cursor.get();
            ObjectNode page = approvals(Map.of("state", state, "cursor", last));
            all.withArray("items").addAll(page.withArray("items"));
            all.set("next", page.path("next"));
            cursor = nextCursor(all).filter(next -> !next.equals(last));
        }
        return all;
    }

    private ObjectNode approvals(Map<String, String> parameters) {
        return object(send(request("/approvals" + query(parameters), RESPONSE_TIMEOUT)));
    }

    /** Returns one page of tenants. Query parameters as in the API. */
    public ObjectNode tenants(Map<String, String> parameters) {
        return object(send(request("/tenants" + query(parameters), RESPONSE_TIMEOUT)));
    }

    /** Takes a backup of the service's database, and returns it when it is complete. */
    public ObjectNode createBackup() {
        return object(send(request("/backups", LONG_REQUEST_TIMEOUT).POST(BodyPublishers.noBody())));
    }

    /** Returns one page of saved scripts. Query parameters as in the API. */
    public ObjectNode savedScripts(Map<String, String> parameters) {
        return object(send(request("/scripts" + query(parameters), RESPONSE_TIMEOUT)));
    }

    /** Returns the document at a path of the API. Appends the names to the path as encoded segments. */
    public ObjectNode get(String root, String... names) {
        return object(send(request(root + pathBelow(names), RESPONSE_TIMEOUT)));
    }

    /** Posts a body to a path of the API. Appends the names to the path as encoded segments. */
    public ObjectNode post(String root, ObjectNode body, String... names) {
        return object(send(request(root + pathBelow(names), RESPONSE_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ApiJson.compact(body)))));
    }

    /** Puts a body to a path of the API. Appends the names to the path as encoded segments. */
    public ObjectNode put(String root, ObjectNode body, String... names) {
        return object(send(request(root + pathBelow(names), RESPONSE_TIMEOUT)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(ApiJson.compact(body)))));
    }

    /** Puts a file to a path of the API. Appends the names to the path as encoded segments. */
    public ObjectNode putFile(String root, Path file, String mediaType, String... names) {
        try {
            return object(send(request(root + pathBelow(names), LONG_REQUEST_TIMEOUT)
                    .header("Content-Type", mediaType)
                    .PUT(BodyPublishers.ofFile(file))));
        } catch (FileNotFoundException e) {
            throw new IllegalArgumentException("there is no file " + file, e);
        }
    }

    /**
     * Deletes the resource {@code root/name}.
     *
     * @param root path of the collection, such as {@code /api/v1/secrets}
     */
    public void delete(String root, String name) {
        send(request(root + pathBelow(name), RESPONSE_TIMEOUT).DELETE());
    }

    private static String pathBelow(String... names) {
        StringBuilder path = new StringBuilder();
        for (String name : names) {
            path.append('/').append(encode(name));
        }
        return path.toString();
    }

    /** Returns the API's plan of a dry run. */
    public ObjectNode plan(String id) {
        return object(send(request("/plans/" + encode(id), RESPONSE_TIMEOUT)));
    }

    /** Approves the plan of a dry run. Returns the new execution, which runs the script for real. */
    public ApiExecution approvePlan(String id) {
        return new ApiExecution(object(send(
                request("/plans/" + encode(id) + "/approve", RESPONSE_TIMEOUT).POST(BodyPublishers.noBody()))));
    }

    /** Votes on an approval: {@code approve} or {@code deny}, with the members of the API's vote. */
    public ObjectNode vote(String id, String vote, ObjectNode body) {
        HttpRequest.Builder request = request("/approvals/" + encode(id) + "/" + vote, RESPONSE_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ApiJson.compact(body)));
        return object(send(request));
    }

    /**
     * Submits the lines or rows of a file as a batch. Query parameters as in the API ({@code atomic}, {@code
     * maxParallel}, {@code onFailure}, {@code shareReads}, {@code capability}, {@code version}).
     *
     * @param mediaType the format of the file, {@code application/x-ndjson} or {@code text/csv}
     */
    public ObjectNode batch(Path file, String mediaType, Map<String, String> options, Optional<String> idempotencyKey) {
        HttpRequest.Builder request;
        try {
            request = request("/batches" + query(options), LONG_REQUEST_TIMEOUT)
                    .header("Content-Type", mediaType)
                    .POST(BodyPublishers.ofFile(file));
        } catch (FileNotFoundException e) {
            throw new IllegalArgumentException("there is no file " + file, e);
        }
        idempotencyKey.ifPresent(value -> request.header("Idempotency-Key", value));
        return object(send(request));
    }

    /** Runs tests. The body has the members of the API's tests. Returns their report, which may not be final. */
    public ObjectNode runTests(ObjectNode tests) {
        HttpRequest.Builder request = request("/tests", LONG_REQUEST_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ApiJson.compact(tests)));
        return object(send(request));
    }

    /** Returns the report of tests when they have ended, or after {@code wait}. */
    public ObjectNode testReport(String id, Duration wait) {
        String query = query(Map.of("wait", Long.toString(wait.toSeconds())));
        return object(send(request("/tests/" + encode(id) + query, RESPONSE_TIMEOUT.plus(wait))));
    }

    /** Publishes a capability. The body has the members of the API's new capability. */
    public ObjectNode publish(ObjectNode capability) {
        return object(send(request("/capabilities", LONG_REQUEST_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ApiJson.compact(capability)))));
    }

    /** Publishes the script of an execution as a capability. The body has the members of the API's promotion. */
    public ObjectNode promote(String id, ObjectNode promotion) {
        return object(send(request("/executions/" + encode(id) + "/capability", LONG_REQUEST_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ApiJson.compact(promotion)))));
    }

    /** Returns the first page (200) of capabilities whose name or description contains {@code word}. */
    public ObjectNode capabilities(String word) {
        return object(send(request("/capabilities" + query(Map.of("limit", "200", "q", word)), RESPONSE_TIMEOUT)));
    }

    /** Returns all broken capabilities as one page. A page of the service may be empty although another one follows. */
    public ObjectNode brokenCapabilities(String word) {
        ObjectNode all = ApiJson.object();
        all.putArray("items");
        Optional<String> cursor = Optional.empty();
        for (int page = 0; page < MAX_PAGES; page++) {
            Map<String, String> asked = new TreeMap<>(Map.of("limit", "200", "q", word, "broken", "true"));
            cursor.ifPresent(value -> asked.put("cursor", value));
            ObjectNode json = object(send(request("/capabilities" + query(asked), LONG_REQUEST_TIMEOUT)));
            json.path("items").forEach(all.withArray("items")::add);
            Optional<String> next = nextCursor(json);
            next.ifPresentOrElse(value -> all.put("next", value), () -> all.putNull("next"));
            if (next.isEmpty() || next.equals(cursor)) {
                break;
            }
            cursor = next;
        }
        return all;
    }

    /** Returns all versions of a capability, or the given version. */
    public ObjectNode capability(String name, Optional<String> version) {
        String path = "/capabilities/" + encode(name);
        return object(send(
                request(version.map(one -> path + "/versions/" + encode(one)).orElse(path), RESPONSE_TIMEOUT)));
    }

    /** Deprecates a version of a capability. */
    public ObjectNode deprecate(String name, String version, String reason) {
        String path = "/capabilities/" + encode(name) + "/versions/" + encode(version) + "/deprecate";
        return object(send(request(path, RESPONSE_TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(ApiJson.compact(ApiJson.object().put("reason", reason))))));
    }

    /** Returns the current batch. */
    public ObjectNode batch(String id) {
        return object(send(request("/batches/" + encode(id), RESPONSE_TIMEOUT)));
    }

    /** Passes the results of a batch to the consumer line by line, without storing them. */
    public void batchResults(String id, Consumer<String> line) {
        HttpRequest.Builder request = request("/batches/" + encode(id) + "/results", LONG_REQUEST_TIMEOUT)
                .setHeader("Accept", "application/x-ndjson, application/problem+json");
        try {
            HttpResponse<Stream<String>> response = http.send(request.build(), BodyHandlers.ofLines());
            try (Stream<String> lines = response.body()) {
                if (response.statusCode() >= 400) {
                    throw new ApiProblemException(ApiProblem.parse(
                            response.statusCode(),
                            lines.collect(Collectors.joining("\n")),
                            response.headers().firstValue("Retry-After")));
                }
                lines.forEach(line);
            }
        } catch (IOException e) {
            throw new ServiceUnreachableException(service, Objects.toString(e.getMessage(), "the connection broke"), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceUnreachableException(service, "interrupted", e);
        }
    }

    /**
     * Writes the results of a batch to a stream.
     *
     * @param mediaType the format, {@code application/x-ndjson} or {@code text/csv}
     * @throws IOException if the results cannot be written
     */
    public void copyBatchResults(String id, String mediaType, OutputStream out) throws IOException {
        HttpRequest.Builder request = request("/batches/" + encode(id) + "/results", LONG_REQUEST_TIMEOUT)
                .setHeader("Accept", mediaType + ", application/problem+json");
        try (InputStream results = send(request, BodyHandlers.ofInputStream()).body()) {
            byte[] buffer = new byte[64 << 10];
            for (int read = read(results, buffer); read >= 0; read = read(results, buffer)) {
                out.write(buffer, 0, read);
            }
        }
    }

    private int read(InputStream response, byte[] buffer) {
        try {
            return response.read(buffer);
        } catch (IOException e) {
            throw new ServiceUnreachableException(service, Objects.toString(e.getMessage(), "the connection broke"), e);
        }
    }

    /** Returns all tools that the caller may see. */
    public List<ApiTool> tools() {
        List<ApiTool> tools = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        for (int page = 0; page < MAX_PAGES; page++) {
            String query = cursor.map(value -> query(Map.of("cursor", value))).orElse("");
            JsonNode json = json(send(request("/tools" + query, RESPONSE_TIMEOUT)));
            JsonNode items = json.isArray() ? json : json.path(json.has("items") ? "items" : "tools");
            items.forEach(item -> tools.add(new ApiTool(item)));
            Optional<String> next = nextCursor(json);
            if (next.isEmpty() || next.equals(cursor)) {
                break;
            }
            cursor = next;
        }
        return tools;
    }

    private static Optional<String> nextCursor(JsonNode json) {
        String next = ApiJson.text(json, "next");
        return next.isEmpty() ? Optional.empty() : Optional.of(next);
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
        String base = service.toString().replaceAll("/+$", "");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + "/api/v1" + path))
                .timeout(timeout)
                .header("Accept", "application/json, application/problem+json, text/plain;q=0.5");
        key.ifPresent(value -> request.header("Authorization", "Bearer " + value));
        return request;
    }

    private HttpResponse<String> send(HttpRequest.Builder builder) {
        return send(builder, BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    private <T> HttpResponse<T> send(HttpRequest.Builder builder, BodyHandler<T> handler) {
        HttpResponse<T> response;
        try {
            response = http.send(builder.build(), handler);
        } catch (HttpTimeoutException e) {
            throw new ServiceUnreachableException(service, "it did not answer in time", e);
        } catch (ConnectException e) {
            throw new ServiceUnreachableException(service, "the connection was refused", e);
        } catch (IOException e) {
            throw new ServiceUnreachableException(service, Objects.toString(e.getMessage(), "the connection broke"), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceUnreachableException(service, "interrupted", e);
        }
        if (response.statusCode() >= 400) {
            throw new ApiProblemException(ApiProblem.parse(
                    response.statusCode(), text(response), response.headers().firstValue("Retry-After")));
        }
        return response;
    }

    private String text(HttpResponse<?> response) {
        try {
            return response.body() instanceof InputStream stream
                    ? new String(stream.readAllBytes(), StandardCharsets.UTF_8)
                    : String.valueOf(response.body());
        } catch (IOException e) {
            throw new ServiceUnreachableException(service, Objects.toString(e.getMessage(), "the connection broke"), e);
        }
    }

    private ObjectNode object(HttpResponse<String> response) {
        if (response.body().isBlank()) {
            return ApiJson.object();
        }
        if (json(response) instanceof ObjectNode object) {
            return object;
        }
        throw new ServiceUnreachableException(
                service, "its answer is not from Sallyport: it must be a JSON object", new IOException("no object"));
    }

    private JsonNode json(HttpResponse<String> response) {
        try {
            return ApiJson.parse(response.body());
        } catch (JsonProcessingException e) {
            throw new ServiceUnreachableException(service, "its answer is not JSON: is this a Sallyport service?", e);
        }
    }

    private static String query(Map<String, String> parameters) {
        return query(List.copyOf(parameters.entrySet()));
    }

    private static String query(List<Map.Entry<String, String>> parameters) {
        if (parameters.isEmpty()) {
            return "";
        }
        return parameters.stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getKey() + "=" + encode(entry.getValue()))
                .collect(Collectors.joining("&", "?", ""));
    }

    private static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
