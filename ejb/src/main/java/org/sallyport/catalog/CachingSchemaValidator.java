package org.sallyport.catalog;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.cache.BoundedCaches;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.tool.Json;

/** Validates values by JSON Schemas and caches compiled schemas. Schemas of users are 2020-12. Thread-safe. */
public final class CachingSchemaValidator implements JsonSchemaValidator {
    private static final int MAX_CACHED = 500;
    private static final long MAX_CACHED_BYTES = 16L << 20;

    /** The meta-schema for all schemas; part of the library. */
    private static final Schema META_SCHEMA = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()));

    private final Map<String, Schema> compiled = BoundedCaches.ofBytes(
            MAX_CACHED, MAX_CACHED_BYTES, (text, schema) -> BoundedCaches.parsedJsonBytes(text.length()));

    @Override
    public Optional<String> schemaError(Json schema) {
        String text = schema.text().strip();
        if (!text.startsWith("{")) {
            return Optional.of("is no JSON Schema: it must be an object");
        }
        try {
            List<Error> errors = META_SCHEMA.validate(text, InputFormat.JSON);
            if (!errors.isEmpty()) {
                return Optional.of("is no JSON Schema: at '" + errors.get(0).getInstanceLocation() + "' "
                        + errors.get(0).getMessage());
            }
            BoundedExecutionContext.validate(SchemaCompiler.compile(schema), Json.EMPTY_OBJECT);
            return Optional.empty();
        } catch (RuntimeException | StackOverflowError e) {
            return Optional.of("is no JSON Schema that can be used here: " + firstLine(e));
        }
    }

    @Override
    public Optional<SchemaViolation> validate(Json schema, Json value) {
        try {
            Schema known = compiled.computeIfAbsent(schema.text(), text -> SchemaCompiler.compile(schema));
            List<Error> errors = BoundedExecutionContext.validate(known, value);
            return errors.stream()
                    .findFirst()
                    .map(error -> new SchemaViolation(String.valueOf(error.getInstanceLocation()), error.getMessage()));
        } catch (RuntimeException | StackOverflowError e) {
            return Optional.of(
                    new SchemaViolation("", "it cannot be checked: the schema, or the value, is not usable"));
        }
    }

    private static String firstLine(Throwable failure) {
        String message =
                String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        return message.length() > 200 ? message.substring(0, 200) + "…" : message;
    }
}
