package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * Imports the operations of an OpenAPI 3 document as operations of a backend. An operation that cannot be called does
 * not affect the others, and is returned with the reason. The description of an operation names its parameters that are
 * not sent, and says if a schema or a credential is missing. An instance serves one import.
 */
final class OpenApiImporter {
    private static final int MAX_OPERATIONS = 2_000;
    private static final int MAX_UNUSABLE_OPERATIONS = 500;
    private static final int MAX_SCHEMA_LENGTH = 64_000;
    private static final int MAX_ID_LENGTH = 200;
    private static final List<String> METHODS = List.of("get", "head", "post", "put", "patch", "delete");
    private static final List<String> UNSUPPORTED_METHODS = List.of("options", "trace", "query");
    /** Status codes of answers with a result, in the order in which their schemas are preferred. */
    private static final List<String> RESULT_STATUS = List.of("200", "201", "202", "203", "206", "2XX");

    private static final Json ANY_ARGUMENTS = new Json("{\"type\":\"object\"}");

    private final ImportedOpenApiDocument document;
    private final OpenApiBodyReader bodies;
    private final Predicate<String> included;
    private final OpenApiServers servers;
    private final OpenApiSecurity security;
    private final ResponseFormat response;
    private final Map<String, DeclaredOperation> found = new LinkedHashMap<>();
    private int notCollected;

    /** @param problem why the operation cannot be called, if this is known already */
    private record DeclaredOperation(
            String method, String path, JsonNode item, JsonNode operation, Optional<String> problem) {

        /** Returns the method and the address for people. */
        String target(Optional<String> server) {
            return (method.toUpperCase(Locale.ROOT) + " " + server.orElse("") + path).strip();
        }
    }

    /**
     * The operations of a document.
     *
     * @param operations the operations that can be called, by name
     * @param unusable the operations that cannot be called
     */
    record ImportedOperations(Map<String, HttpOperation> operations, UnusableOperations unusable) {}

    /**
     * @param wanted selects operations by id
     * @param servers chooses the base URL of each operation
     * @param security chooses the credentials of each operation
     * @param response the form of results
     */
    OpenApiImporter(
            ImportedOpenApiDocument document,
            Predicate<String> wanted,
            OpenApiServers servers,
            OpenApiSecurity security,
            ResponseFormat response) {
        this.document = document;
        this.bodies = new OpenApiBodyReader(document);
        this.included = wanted;
        this.servers = servers;
        this.security = security;
        this.response = response;
    }

    /**
     * Returns the operations by id. Throws {@link InvalidBackendException} with the first reason if none of them can be
     * called.
     */
    ImportedOperations importOperations() {
        document.root().path("paths").properties().forEach(entry -> collectPath(entry.getKey(), entry.getValue()));
        Map<String, HttpOperation> operations = new LinkedHashMap<>();
        List<UnusableOperations.UnusableOperation> unusable = new ArrayList<>();
        found.forEach((id, declared) -> {
            try {
                if (declared.problem().isPresent()) {
                    throw new OpenApiUnsupportedException(declared.problem().get());
                }
                operations.put(id, operation(id, declared));
            } catch (OpenApiUnsupportedException | InvalidBackendException e) {
                unusable.add(unusable(id, declared, OpenApiArgumentMapping.truncate(String.valueOf(e.getMessage()))));
            }
        });
        if (operations.isEmpty()) {
            throw ImportedOpenApiDocument.invalid("has no operation that can be called"
                    + (unusable.isEmpty()
                            ? ""
                            : " (" + unusable.get(0).definition().name() + ": "
                                    + unusable.get(0).reason() + ")"));
        }
        return new ImportedOperations(
                operations,
                new UnusableOperations(
                        unusable.subList(0, Math.min(unusable.size(), MAX_UNUSABLE_OPERATIONS)),
                        unusable.size() + notCollected));
    }

    private static UnusableOperations.UnusableOperation unusable(
            String name, DeclaredOperation declared, String reason) {
        return new UnusableOperations.UnusableOperation(
                new ToolDefinition(
                        name,
                        name,
                        description(declared, Optional.empty(), List.of()),
                        ANY_ARGUMENTS,
                        Optional.empty(),
                        ToolHints.EFFECT),
                reason);
    }

    private void collectPath(String path, JsonNode declared) {
        if (path.startsWith("x-")) {
            return; // an extension
        }
        JsonNode item;
        try {
            item = document.resolvePath(declared);
        } catch (InvalidBackendException e) {
            // Its ids are not known, so that 'include' cannot exclude it.
            JsonNode none = MissingNode.getInstance();
            collect(path, new DeclaredOperation("", path, none, none, Optional.ofNullable(e.getMessage())));
            return;
        }
        for (String method : METHODS) {
            collect(path, method, item, Optional.empty());
        }
        for (String method : UNSUPPORTED_METHODS) {
            collect(
                    path,
                    method,
                    item,
                    Optional.of("its method " + method.toUpperCase(Locale.ROOT) + " is not supported"));
        }
    }

    private void collect(String path, String method, JsonNode item, Optional<String> problem) {
        JsonNode operation = item.path(method);
        if (!operation.isObject()) {
            return;
        }
        String id = operation.path("operationId").asText();
        String key = id.isEmpty() || id.length() > MAX_ID_LENGTH
                ? method + path.replaceAll("[{}]", "").replace('/', '_')
                : id;
        if (included.test(key)) {
            collect(key, new DeclaredOperation(method, path, item, operation, problem));
        }
    }

    private void collect(String key, DeclaredOperation declared) {
        if (found.size() >= MAX_OPERATIONS + MAX_UNUSABLE_OPERATIONS) {
            notCollected++;
            return;
        }
        String unique = found.containsKey(key) ? key + "_" + declared.method() + declared.path() : key;
        for (int number = 2; found.containsKey(unique); number++) {
            unique = key + "_" + declared.method() + declared.path() + "_" + number;
        }
        found.put(
                unique,
                found.size() < MAX_OPERATIONS
                        ? declared
                        : new DeclaredOperation(
                                declared.method(),
                                declared.path(),
                                declared.item(),
                                declared.operation(),
                                Optional.of("the document has more than " + MAX_OPERATIONS
                                        + " operations; name those that are wanted in 'include'")));
    }

    private HttpOperation operation(String name, DeclaredOperation declared) throws OpenApiUnsupportedException {
        Optional<String> server = servers.find(declared.item(), declared.operation());
        OpenApiSecurity.CredentialSelection credentials = security.select(declared.operation());
        OpenApiArgumentMapping arguments = new OpenApiArgumentMapping(document, bodies, security.reservedHeaders());
        arguments.addParameters(
                declared.path(),
                declared.item().path("parameters"),
                declared.operation().path("parameters"));
        arguments.body(declared.operation().path("requestBody"));
        PathTemplate path = arguments.path(declared.path());
        String method = declared.method().toUpperCase(Locale.ROOT);
        List<String> remarks = new ArrayList<>();
        if (!arguments.notSent().isEmpty()) {
            remarks.add("Not sent: " + OpenApiArgumentMapping.truncate(String.join(", ", arguments.notSent())) + ".");
        }
        credentials.problem().ifPresent(problem -> remarks.add(problem + "."));
        Json inputSchema = arguments.inputSchema(MAX_SCHEMA_LENGTH);
        if (arguments.isSchemaOmitted()) {
            remarks.add("The schema of the arguments is too long and is left out.");
        }
        Optional<Json> resultSchema = response.resultSchema(outputSchema(declared.operation(), remarks));
        return new HttpOperation(
                method,
                server,
                path,
                arguments.parameters(),
                arguments.body(),
                credentials.schemes(),
                response,
                "",
                new ToolDefinition(
                        name, name, description(declared, server, remarks), inputSchema, resultSchema, hints(method)));
    }

    /** Includes method and address, so that a changed target also changes the tool definition. */
    private static String description(DeclaredOperation declared, Optional<String> server, List<String> remarks) {
        String about = words(declared.operation()) + " (" + declared.target(server) + ") " + String.join(" ", remarks);
        return about.strip();
    }

    private static String words(JsonNode operation) {
        String summary = operation.path("summary").asText().strip();
        String more = operation.path("description").asText().strip();
        return OpenApiArgumentMapping.truncate(
                summary.isEmpty() || more.startsWith(summary) ? more : summary + (more.isEmpty() ? "" : "\n" + more));
    }

    /** @param remarks receives why the schema is left out */
    private Optional<Json> outputSchema(JsonNode operation, List<String> remarks) {
        try {
            Optional<JsonNode> declared = declaredResult(operation.path("responses"));
            return declared.isPresent() ? convertedResult(declared.get(), remarks) : Optional.empty();
        } catch (InvalidBackendException e) {
            remarks.add("The schema of the result is left out: " + e.getMessage() + ".");
            return Optional.empty();
        }
    }

    /** The default describes results only if no status of success is declared. */
    private Optional<JsonNode> declaredResult(JsonNode responses) {
        List<String> declared = new ArrayList<>();
        responses.fieldNames().forEachRemaining(declared::add);
        List<String> preferred =
                declared.stream().anyMatch(status -> status.startsWith("2")) ? RESULT_STATUS : List.of("default");
        for (String status : preferred) {
            Optional<JsonNode> json = OpenApiArgumentMapping.jsonContent(
                    document.resolve(responses.path(status)).path("content"));
            if (json.isPresent() && json.get().path("schema").isObject()) {
                return Optional.of(json.get().path("schema"));
            }
        }
        return Optional.empty();
    }

    private Optional<Json> convertedResult(JsonNode declared, List<String> remarks) {
        OpenApiSchemaConverter schemas =
                new OpenApiSchemaConverter(document, OpenApiSchemaConverter.SchemaDirection.RESPONSE);
        try {
            if (schemas.convert(declared) instanceof ObjectNode schema) {
                if (!schemas.definitions().isEmpty()) {
                    schema.set("$defs", schemas.definitions());
                }
                String text = schema.toString();
                if (text.length() <= MAX_SCHEMA_LENGTH) {
                    return Optional.of(new Json(text));
                }
            }
        } catch (OpenApiSchemaConverter.SchemaTooLargeException e) {
            // Reported below.
        }
        remarks.add("The schema of the result is too long and is left out.");
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
