package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.http.OpenApiOperationCollector.DeclaredOperation;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * Imports the operations of an OpenAPI 3 document as operations of a backend. An operation that cannot be called does
 * not affect the others, and is returned with the reason. The description of an operation names its parameters that are
 * not sent, and says if a schema is missing. An instance serves one import.
 */
final class OpenApiImporter {
    private static final int MAX_SCHEMA_LENGTH = 64_000;
    /** Maximum length of all schemas of a document together. */
    private static final int MAX_TOTAL_LENGTH = 16_000_000;
    /** Total length of all schemas from which those of results are left out; the rest is for those of arguments. */
    private static final int MAX_TOTAL_LENGTH_WITH_RESULTS = 12_000_000;
    /** Maximum number of operations in a notice. */
    private static final int MAX_SHOWN = 5;

    private static final Json ANY_ARGUMENTS = new Json("{\"type\":\"object\"}");

    private final ImportedOpenApiDocument document;
    private final OpenApiBodyReader bodies;
    private final OpenApiResultSchema results;
    private final Predicate<String> included;
    private final OpenApiServers servers;
    private final OpenApiSecurity security;
    private final ResponseFormat response;
    private final List<String> withoutCredential = new ArrayList<>();
    private int totalSchemaLength;

    /**
     * The operations of a document.
     *
     * @param operations the operations that can be called, by name
     * @param unusable the operations that cannot be called, each with the reason
     * @param notice a line for administrators: which operations get no credential, and how many are left out
     */
    record ImportedOperations(
            Map<String, HttpOperation> operations, List<ToolDefinition> unusable, Optional<String> notice) {}

    /**
     * @param included selects operations by id
     * @param servers chooses the base URL of each operation
     * @param security chooses the credentials of each operation
     * @param response the form of results
     */
    OpenApiImporter(
            ImportedOpenApiDocument document,
            Predicate<String> included,
            OpenApiServers servers,
            OpenApiSecurity security,
            ResponseFormat response) {
        this.document = document;
        this.bodies = new OpenApiBodyReader(document);
        this.results = new OpenApiResultSchema(document);
        this.included = included;
        this.servers = servers;
        this.security = security;
        this.response = response;
    }

    /**
     * Returns the operations by id. Throws {@link InvalidBackendException} with the first reason if none of them can be
     * called.
     */
    ImportedOperations importOperations() {
        OpenApiOperationCollector collector = new OpenApiOperationCollector(document, included);
        Map<String, HttpOperation> operations = new LinkedHashMap<>();
        List<ToolDefinition> unusable = new ArrayList<>();
        collector.collect().forEach((name, declared) -> {
            try {
                HttpOperation operation = operation(name, declared);
                if (operation.definition().unusable().isEmpty()) {
                    operations.put(name, operation);
                } else {
                    unusable.add(operation.definition());
                }
            } catch (OpenApiUnsupportedException | InvalidBackendException e) {
                unusable.add(unusable(name, declared, String.valueOf(e.getMessage())));
            }
        });
        if (operations.isEmpty()) {
            throw ImportedOpenApiDocument.invalid("has no operation that can be called" + firstReason(unusable));
        }
        return new ImportedOperations(operations, unusable, notice(collector.omitted()));
    }

    /**
     * Missing credentials are not part of the definitions of tools, which would change when an administrator sets one.
     */
    private Optional<String> notice(int omitted) {
        List<String> notices = new ArrayList<>();
        int count = withoutCredential.size();
        if (count > 0) {
            String shown = String.join("; ", withoutCredential.subList(0, Math.min(MAX_SHOWN, count)));
            notices.add("operations of its OpenAPI document that are called without a credential: " + count + " ("
                    + ImportedOpenApiDocument.truncate(shown) + (count > MAX_SHOWN ? "; …" : "") + ")");
        }
        if (omitted > 0) {
            notices.add("operations of its OpenAPI document that are not in the catalog, because there are too many: "
                    + omitted + "; name those that are wanted in 'include'");
        }
        return notices.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", notices));
    }

    private static String firstReason(List<ToolDefinition> unusable) {
        return unusable.stream()
                .findFirst()
                .map(first -> " (" + ImportedOpenApiDocument.abbreviate(first.name()) + ": "
                        + first.unusable().orElse("") + ")")
                .orElse("");
    }

    /** Returns the definition of an operation whose declaration cannot be read. */
    private static ToolDefinition unusable(String name, DeclaredOperation declared, String reason) {
        return new ToolDefinition(
                name,
                name,
                description(declared, Optional.empty(), List.of()),
                ANY_ARGUMENTS,
                Optional.empty(),
                hints(declared.httpMethod()),
                Optional.of(ImportedOpenApiDocument.truncate(reason)));
    }

    /**
     * Returns an operation. If it cannot be called because of its server, its method, its credentials or the number of
     * operations, its definition has the reason and is otherwise complete, so that it stays the same when the reason is
     * gone.
     */
    private HttpOperation operation(String name, DeclaredOperation declared) throws OpenApiUnsupportedException {
        if (declared.path().length() > OpenApiOperationCollector.MAX_PATH_LENGTH) {
            throw new OpenApiUnsupportedException(
                    "its path has more than " + OpenApiOperationCollector.MAX_PATH_LENGTH + " characters");
        }
        if (!declared.operation().isObject()) {
            throw new OpenApiUnsupportedException(declared.problem().orElse("it has no declaration"));
        }
        OpenApiServers.OperationServer server = servers.find(declared.item(), declared.operation());
        OpenApiSecurity.CredentialSelection credentials = security.select(declared.operation());
        Optional<String> refused = declared.problem()
                .or(server::problem)
                .or(() -> credentials.problem().filter(problem -> credentials.unusable()));
        OpenApiArgumentMapping arguments = new OpenApiArgumentMapping(document, bodies, security.reservedHeaders());
        arguments.addParameters(
                declared.path(),
                declared.item().path("parameters"),
                declared.operation().path("parameters"));
        arguments.body(declared.operation().path("requestBody"));
        PathTemplate path = arguments.path(declared.path());
        List<String> remarks = new ArrayList<>();
        if (!arguments.notSent().isEmpty()) {
            remarks.add("Not sent: " + ImportedOpenApiDocument.truncate(String.join(", ", arguments.notSent())) + ".");
        }
        Json inputSchema = arguments.inputSchema(longestSchema(MAX_TOTAL_LENGTH));
        totalSchemaLength += inputSchema.text().length();
        if (arguments.isSchemaOmitted()) {
            remarks.add("The schema of the arguments is too long and is left out.");
        }
        Optional<Json> resultSchema =
                results.read(declared.operation(), longestSchema(MAX_TOTAL_LENGTH_WITH_RESULTS), remarks);
        totalSchemaLength += resultSchema.map(schema -> schema.text().length()).orElse(0);
        if (refused.isEmpty()) {
            credentials
                    .problem()
                    .ifPresent(problem ->
                            withoutCredential.add(ImportedOpenApiDocument.abbreviate(name) + ": " + problem));
        }
        return new HttpOperation(
                declared.httpMethod(),
                server.url(),
                path,
                arguments.parameters(),
                arguments.body(),
                credentials.schemes(),
                response,
                "",
                new ToolDefinition(
                        name,
                        name,
                        description(declared, server.url(), remarks),
                        inputSchema,
                        response.resultSchema(resultSchema),
                        hints(declared.httpMethod()),
                        refused));
    }

    private int longestSchema(int maxTotal) {
        return Math.min(MAX_SCHEMA_LENGTH, Math.max(0, maxTotal - totalSchemaLength));
    }

    /** Includes method and address, so that a changed target also changes the tool definition. */
    private static String description(DeclaredOperation declared, Optional<String> server, List<String> remarks) {
        String about = words(declared.operation()) + " (" + declared.target(server) + ") " + String.join(" ", remarks);
        return about.strip();
    }

    private static String words(JsonNode operation) {
        String summary = ImportedOpenApiDocument.truncate(
                        operation.path("summary").asText())
                .strip();
        String more = ImportedOpenApiDocument.truncate(
                        operation.path("description").asText())
                .strip();
        return ImportedOpenApiDocument.truncate(
                summary.isEmpty() || more.startsWith(summary) ? more : summary + (more.isEmpty() ? "" : "\n" + more));
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
