package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.tool.Json;

/** Reads the schemas of the results of operations. */
final class OpenApiResultSchema {
    /** Status codes of answers with a result, in the order in which their schemas are preferred. */
    private static final List<String> RESULT_STATUS = List.of("200", "201", "202", "203", "206", "2XX");

    private static final String TOO_LONG = "The schema of the result is too long and is left out.";

    private final ImportedOpenApiDocument document;

    OpenApiResultSchema(ImportedOpenApiDocument document) {
        this.document = document;
    }

    /**
     * Returns the schema of the results of an operation; empty if none is declared, or if it is left out.
     *
     * @param longest maximum length of the schema in characters
     * @param remarks receives why the schema is left out
     */
    Optional<Json> read(JsonNode operation, int longest, List<String> remarks) {
        try {
            Optional<JsonNode> declared = find(operation.path("responses"));
            Optional<Json> schema =
                    declared.map(this::convert).filter(json -> json.text().length() <= longest);
            if (declared.isPresent() && schema.isEmpty()) {
                remarks.add(TOO_LONG);
            }
            return schema;
        } catch (SchemaConversionLimit.SchemaTooLargeException e) {
            remarks.add(TOO_LONG);
        } catch (InvalidBackendException e) {
            remarks.add("The schema of the result is left out: " + e.getMessage() + ".");
        }
        return Optional.empty();
    }

    /** The default describes results only if no status of success is declared. */
    private Optional<JsonNode> find(JsonNode responses) {
        document.countSteps(responses.size());
        List<String> declared = new ArrayList<>();
        responses.fieldNames().forEachRemaining(declared::add);
        List<String> preferred =
                declared.stream().anyMatch(status -> status.startsWith("2")) ? RESULT_STATUS : List.of("default");
        for (String status : preferred) {
            JsonNode content = document.resolve(responses.path(status)).path("content");
            document.countSteps(content.size());
            Optional<JsonNode> json = OpenApiParameterReader.jsonContent(content);
            if (json.isPresent() && json.get().path("schema").isObject()) {
                return Optional.of(json.get().path("schema"));
            }
        }
        return Optional.empty();
    }

    private Json convert(JsonNode declared) {
        OpenApiSchemaConverter schemas =
                new OpenApiSchemaConverter(document, OpenApiSchemaConverter.SchemaDirection.RESPONSE);
        JsonNode converted = schemas.convert(declared);
        if (converted instanceof ObjectNode schema && !schemas.definitions().isEmpty()) {
            schema.set("$defs", schemas.definitions());
        }
        return new Json(converted.toString());
    }
}
