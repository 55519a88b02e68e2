package org.sallyport.catalog;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.sallyport.capability.JsonSchemaValidator.SchemaViolation;
import org.sallyport.tool.Json;

/** The compiled schema of a tool's arguments. Thread-safe. */
public final class ArgumentSchema {
    /** Compiled schemas. An entry is removed after the text with which it was made is unreachable. */
    private static final Map<Json, ArgumentSchema> COMPILED = Collections.synchronizedMap(new WeakHashMap<>());

    private final Schema schema;

    private ArgumentSchema(Schema schema) {
        this.schema = schema;
    }

    /**
     * Compiles a JSON Schema with all its parts. Throws a {@link RuntimeException} with the reason when the schema
     * cannot be used.
     */
    public static ArgumentSchema compile(Json schema) {
        ArgumentSchema known = COMPILED.get(schema);
        if (known != null) {
            return known;
        }
        ArgumentSchema compiled = new ArgumentSchema(SchemaCompiler.compile(schema));
        COMPILED.put(schema, compiled);
        return compiled;
    }

    /** Returns the message for the first violation, including its path; empty when {@code arguments} are valid. */
    public Optional<String> validationError(Json arguments) {
        return validate(arguments).map(SchemaViolation::argumentsMessage);
    }

    /** Returns the first violation; empty when {@code arguments} are valid. */
    public Optional<SchemaViolation> validate(Json arguments) {
        try {
            List<Error> errors = BoundedExecutionContext.validate(schema, arguments);
            return errors.stream()
                    .findFirst()
                    .map(error -> new SchemaViolation(String.valueOf(error.getInstanceLocation()), error.getMessage()));
        } catch (RuntimeException | StackOverflowError e) {
            // The schema comes from a server and may take too long to evaluate. The parser also has limits of its own,
            // such as on the length of names.
            return Optional.of(
                    new SchemaViolation("", "they cannot be checked, because the schema of the tool is not usable"));
        }
    }
}
