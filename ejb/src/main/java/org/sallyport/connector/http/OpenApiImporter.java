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
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * Imports the operations of an OpenAPI 3 document as operations of a backend. Operations that are not supported are
 * left out. Optional parameters that are not supported are named in the description.
 */
final class OpenApiImporter {
    private static final int MAX_OPERATIONS = 500;
    private static final int MAX_SCHEMA_LENGTH = 64_000;
    private static final List<String> METHODS = List.of("get", "head", "post", "put", "patch", "delete");

    private final ImportedOpenApiDocument document;
    private final OpenApiBodyReader bodies;
    private final Predicate<String> included;
    private final Set<String> credentialHeaders;
    private final ResponseFormat response;
    private final Map<String, DeclaredOperation> found = new LinkedHashMap<>();

    private record DeclaredOperation(String method, String path, JsonNode item, JsonNode operation) {}

    /**
     * @param wanted selects operations by id
     * @param credentials lower-case names of headers that no argument replaces
     * @param response the form of results
     */
    OpenApiImporter(
            ImportedOpenApiDocument document,
            Predicate<String> wanted,
            Set<String> credentials,
            ResponseFormat response) {
        this.document = document;
        this.bodies = new OpenApiBodyReader(document);
        this.included = wanted;
        this.credentialHeaders = credentials;
        this.response = response;
    }

    /**
     * Returns the operations by id; throws {@link org.sallyport.connector.InvalidBackendException} if there are none,
     * or too many.
     */
    Map<String, HttpOperation> importOperations() {
        document.root().path("paths").properties().forEach(entry -> collect(entry.getKey(), entry.getValue()));
        Map<String, HttpOperation> operations = new LinkedHashMap<>();
        List<String> leftOut = new ArrayList<>();
        found.forEach((id, declared) -> {
            try {
                operations.put(id, operation(id, declared));
            } catch (OpenApiArgumentMapping.OpenApiUnsupportedException e) {
                leftOut.add(ImportedOpenApiDocument.abbreviate(id) + ": " + e.getMessage());
            }
        });
        if (operations.isEmpty()) {
            throw ImportedOpenApiDocument.invalid(
                    "has no operation that can be called" + (leftOut.isEmpty() ? "" : " (" + leftOut.get(0) + ")"));
        }
        return operations;
    }

    private void collect(String path, JsonNode declared) {
        if (!path.startsWith("/")) {
            return;
        }
        JsonNode item = document.resolve(declared);
        for (String method : METHODS) {
            JsonNode operation = item.path(method);
            if (!operation.isObject()) {
                continue;
            }
            String id = operation.path("operationId").asText();
            String key = id.isEmpty() || id.length() > 200
                    ? method + path.replaceAll("[{}]", "").replace('/', '_')
                    : id;
            if (included.test(key)) {
                String unique = found.containsKey(key) ? key + "_" + method + path : key;
                found.put(unique, new DeclaredOperation(method, path, item, operation));
            }
            if (found.size() > MAX_OPERATIONS) {
                throw ImportedOpenApiDocument.invalid(
                        "has more than " + MAX_OPERATIONS + " operations; name those that are wanted in 'include'");
            }
        }
    }

    private HttpOperation operation(String name, DeclaredOperation declared)
            throws OpenApiArgumentMapping.OpenApiUnsupportedException {
        OpenApiArgumentMapping arguments = new OpenApiArgumentMapping(document, bodies, credentialHeaders);
        arguments.addParameters(
                declared.path(),
                declared.item().path("parameters"),
                declared.operation().path("parameters"));
        arguments.body(declared.operation().path("requestBody"));
        PathTemplate path = arguments.path(declared.path());
        String method = declared.method().toUpperCase(Locale.ROOT);
        return new HttpOperation(
                method,
                Optional.empty(),
                path,
                arguments.parameters(),
                arguments.body(),
                Optional.empty(),
                response,
                "",
                new ToolDefinition(
                        name,
                        name,
                        description(method, declared, arguments.notSent()),
                        arguments.inputSchema(MAX_SCHEMA_LENGTH),
                        response.resultSchema(outputSchema(declared.operation())),
                        hints(method)));
    }

    /** Includes method and path, so that a changed target also changes the tool definition. */
    private static String description(String method, DeclaredOperation declared, Set<String> notSent) {
        String summary = declared.operation().path("summary").asText().strip();
        String more = declared.operation().path("description").asText().strip();
        String words =
                summary.isEmpty() || more.startsWith(summary) ? more : summary + (more.isEmpty() ? "" : "\n" + more);
        String ignored = notSent.isEmpty()
                ? ""
                : " Not sent: " + OpenApiArgumentMapping.truncate(String.join(", ", notSent)) + ".";
        return (OpenApiArgumentMapping.truncate(words) + " (" + method + " " + declared.path() + ")" + ignored).strip();
    }

    private Optional<Json> outputSchema(JsonNode operation) {
        for (String status : List.of("200", "201", "2XX", "default")) {
            Optional<JsonNode> json = OpenApiArgumentMapping.jsonContent(
                    document.resolve(operation.path("responses").path(status)).path("content"));
            if (json.isPresent() && json.get().path("schema").isObject()) {
                return outputSchema(
                        new OpenApiSchemaConverter(document), json.get().path("schema"));
            }
        }
        return Optional.empty();
    }

    private static Optional<Json> outputSchema(OpenApiSchemaConverter schemas, JsonNode declared) {
        try {
            if (schemas.convert(declared) instanceof ObjectNode schema) {
                if (!schemas.definitions().isEmpty()) {
                    schema.set("$defs", schemas.definitions());
                }
                String text = schema.toString();
                return text.length() > MAX_SCHEMA_LENGTH ? Optional.empty() : Optional.of(new Json(text));
            }
        } catch (OpenApiSchemaConverter.SchemaTooLargeException e) {
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
