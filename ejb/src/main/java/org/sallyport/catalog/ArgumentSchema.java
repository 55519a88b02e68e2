package org.sallyport.catalog;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.util.List;
import java.util.Optional;
import org.sallyport.capability.JsonSchemaValidator.SchemaViolation;
import org.sallyport.tool.Json;

/** The compiled schema of a tool's arguments. Thread-safe. */
public final class ArgumentSchema {
    // Without resource loaders a schema cannot refer to anything outside itself: no file, no network.
    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            builder -> builder.resourceLoaders(loaders -> loaders.values(List::clear))
                    .schemaRegistryConfig(SchemaRegistryConfig.builder()
                            .regularExpressionFactory(BoundedRegex::new)
                            .build()));

    private final Schema schema;

    private ArgumentSchema(Schema schema) {
        this.schema = schema;
    }

    /** Compiles a JSON Schema. Throws a {@link RuntimeException} when the schema cannot be compiled. */
    public static ArgumentSchema compile(Json schema) {
        return new ArgumentSchema(REGISTRY.getSchema(schema.text(), InputFormat.JSON));
    }

    /** Returns the message for the first violation, including its path; empty when {@code arguments} are valid. */
    public Optional<String> validationError(Json arguments) {
        return validate(arguments).map(SchemaViolation::argumentsMessage);
    }

    /** Returns the first violation; empty when {@code arguments} are valid. */
    public Optional<SchemaViolation> validate(Json arguments) {
        try {
            List<Error> errors = schema.validate(arguments.text(), InputFormat.JSON);
            return errors.stream()
                    .findFirst()
                    .map(error -> new SchemaViolation(String.valueOf(error.getInstanceLocation()), error.getMessage()));
        } catch (RuntimeException | StackOverflowError e) {
            // The schema comes from a server: it may refer to itself or to a missing part, or take too long to
            // evaluate. The parser also has limits of its own, such as on the length of names.
            return Optional.of(
                    new SchemaViolation("", "they cannot be checked, because the schema of the tool is not usable"));
        }
    }
}
