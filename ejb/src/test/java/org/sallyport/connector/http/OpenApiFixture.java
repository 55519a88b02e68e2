package org.sallyport.connector.http;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.sallyport.catalog.ArgumentSchema;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;

/** Imports documents with the base URL {@code https://api.example} and the configured header {@code X-Api-Key}. */
final class OpenApiFixture {
    private OpenApiFixture() {}

    static OpenApiImporter.ImportedOperations importDocument(String document) {
        return importDocument(document, ResponseFormat.BODY, Map.of());
    }

    /** @param credentials credentials by the names of security schemes */
    static OpenApiImporter.ImportedOperations importDocument(
            String document, ResponseFormat response, Map<String, String> credentials) {
        return importDocument(ImportedOpenApiDocument.parse(document), response, credentials);
    }

    static OpenApiImporter.ImportedOperations importDocument(
            ImportedOpenApiDocument parsed, ResponseFormat response, Map<String, String> credentials) {
        return new OpenApiImporter(
                        parsed,
                        id -> true,
                        servers(parsed, Optional.of("https://api.example"), Optional.empty()),
                        new OpenApiSecurity(parsed, credentials, Set.of("X-Api-Key")),
                        response)
                .importOperations();
    }

    /** Only hosts below {@code example} may be called. */
    static OpenApiServers servers(
            ImportedOpenApiDocument document, Optional<String> configured, Optional<String> documentUrl) {
        return new OpenApiServers(
                document,
                new EgressGuard(List.of("api.example", "*.api.example"), true, InetAddress::getAllByName),
                configured,
                documentUrl);
    }

    static HttpOperation find(Map<String, HttpOperation> operations, String name) {
        return Objects.requireNonNull(operations.get(name), name);
    }

    /** Returns an operation that cannot be called. */
    static ToolDefinition findUnusable(OpenApiImporter.ImportedOperations imported, String name) {
        return imported.unusable().stream()
                .filter(operation -> operation.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not listed as unusable"));
    }

    /** Returns the reason why an operation cannot be called. */
    static String reason(OpenApiImporter.ImportedOperations imported, String name) {
        return findUnusable(imported, name).unusable().orElseThrow();
    }

    /** Returns the schema of the arguments of an operation that posts a schema of a document. */
    static ArgumentSchema requestSchema(String version, String schema, String components) {
        return ArgumentSchema.compile(
                postOperation(version, schema, components).definition().inputSchema());
    }

    /** Returns an operation that posts a value of a schema, and answers with a value of the same schema. */
    static HttpOperation postOperation(String version, String schema, String components) {
        String content = "{content: {application/json: {schema: " + schema + "}}}";
        return find(
                importDocument("{openapi: " + version + ", paths: {/a: {post: {operationId: a, requestBody: " + content
                                + ", responses: {'200': " + content + "}}}}, components: {schemas: {" + components
                                + "}}}")
                        .operations(),
                "a");
    }

    static boolean accepts(ArgumentSchema schema, String body) {
        return schema.validationError(new Json("{\"body\":" + body + "}")).isEmpty();
    }
}
