package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.sallyport.catalog.BackendNames;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/** The operations of an OpenAPI 3 document as operations of a backend. What cannot be called from here is left out. */
final class OpenApiImport {
    private static final int MOST = 500;
    private static final int LONGEST_SCHEMA = 64_000;
    private static final List<String> METHODS = List.of("get", "head", "post", "put", "patch", "delete");

    private final OpenApiDocument document;
    private final Predicate<String> wanted;
    private final Set<String> credentials;
    private final Map<String, Declared> found = new LinkedHashMap<>();

    private record Declared(String method, String path, JsonNode item, JsonNode operation) {}

    /**
     * @param wanted which operations are taken, by their ids
     * @param credentials names of headers that no argument replaces, in lower case
     */
    OpenApiImport(OpenApiDocument document, Predicate<String> wanted, Set<String> credentials) {
        this.document = document;
        this.wanted = wanted;
        this.credentials = credentials;
    }

    /** The operations, by name; {@link org.sallyport.connector.InvalidBackendException} when there are none, or too many. */
    Map<String, Operation> operations() {
        document.root().path("paths").properties().forEach(entry -> collect(entry.getKey(), entry.getValue()));
        Map<String, String> names = BackendNames.ofTools(found.keySet());
        Map<String, Operation> operations = new LinkedHashMap<>();
        List<String> leftOut = new ArrayList<>();
        found.forEach((id, declared) -> {
            String name = names.getOrDefault(id, id);
            try {
                operations.put(name, operation(name, declared));
            } catch (OpenApiArguments.UnsupportedException e) {
                leftOut.add(OpenApiDocument.shown(id) + ": " + e.getMessage());
            }
        });
        if (operations.isEmpty()) {
            throw OpenApiDocument.fault("has no operation that can be called from here"
                    + (leftOut.isEmpty() ? "" : " (" + leftOut.get(0) + ")"));
        }
        return operations;
    }

    private void collect(String path, JsonNode declared) {
        if (!path.startsWith("/")) {
            return;
        }
        JsonNode item = document.resolved(declared);
        for (String method : METHODS) {
            JsonNode operation = item.path(method);
            if (!operation.isObject()) {
                continue;
            }
            String id = operation.path("operationId").asText();
            String key = id.isEmpty() || id.length() > 200
                    ? method + path.replaceAll("[{}]", "").replace('/', '_')
                    : id;
            if (wanted.test(key)) {
                String unique = found.containsKey(key) ? key + "_" + method + path : key;
                found.put(unique, new Declared(method, path, item, operation));
            }
            if (found.size() > MOST) {
                throw OpenApiDocument.fault(
                        "has more than " + MOST + " operations; name those that are wanted in 'include'");
            }
        }
    }

    private Operation operation(String name, Declared declared) throws OpenApiArguments.UnsupportedException {
        OpenApiArguments arguments = new OpenApiArguments(document, credentials);
        arguments.parameters(
                declared.item().path("parameters"), declared.operation().path("parameters"));
        arguments.body(declared.operation().path("requestBody"));
        UrlTemplate path = arguments.path(declared.path());
        if (path.text().startsWith("//") || path.text().matches("(?s).*[?#\\s\\\\].*")) {
            throw new OpenApiArguments.UnsupportedException("its path has characters that no path has");
        }
        String method = declared.method().toUpperCase(Locale.ROOT);
        return new Operation(
                method,
                path,
                arguments.query(),
                arguments.headers(),
                arguments.body(),
                "",
                new ToolDefinition(
                        name,
                        name,
                        description(method, declared),
                        arguments.inputSchema(LONGEST_SCHEMA),
                        output(declared.operation()),
                        hints(method)));
    }

    /** With method and path, so that a tool that is led elsewhere is another definition. */
    private static String description(String method, Declared declared) {
        String summary = declared.operation().path("summary").asText().strip();
        String more = declared.operation().path("description").asText().strip();
        String words =
                summary.isEmpty() || more.startsWith(summary) ? more : summary + (more.isEmpty() ? "" : "\n" + more);
        return (OpenApiArguments.cut(words) + " (" + method + " " + declared.path() + ")").strip();
    }

    private Optional<Json> output(JsonNode operation) {
        for (String status : List.of("200", "201", "2XX", "default")) {
            Optional<JsonNode> json = OpenApiArguments.json(
                    document.resolved(operation.path("responses").path(status)).path("content"));
            if (json.isPresent() && json.get().path("schema").isObject()) {
                return output(new OpenApiSchemas(document), json.get().path("schema"));
            }
        }
        return Optional.empty();
    }

    private static Optional<Json> output(OpenApiSchemas schemas, JsonNode declared) {
        try {
            if (schemas.convert(declared) instanceof ObjectNode schema) {
                if (!schemas.definitions().isEmpty()) {
                    schema.set("$defs", schemas.definitions());
                }
                String text = schema.toString();
                return text.length() > LONGEST_SCHEMA ? Optional.empty() : Optional.of(new Json(text));
            }
        } catch (OpenApiSchemas.TooLargeException e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    private static ToolHints hints(String method) {
        return switch (method) {
            case "GET", "HEAD" -> ToolHints.READ_ONLY;
            case "PUT" -> ToolHints.IDEMPOTENT;
            case "DELETE" -> new ToolHints(false, true, true);
            default -> ToolHints.EFFECT;
        };
    }
}
