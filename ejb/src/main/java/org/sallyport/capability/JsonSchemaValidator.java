package org.sallyport.capability;

import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/** Judges values by JSON Schemas. Thread-safe. */
public interface JsonSchemaValidator {

    /** Why {@code schema} is not usable; empty when it is. */
    Optional<String> schemaError(Json schema);

    /** The first thing that is wrong with {@code value} by a schema that is usable; empty when nothing is. */
    Optional<SchemaViolation> validate(Json schema, Json value);

    /**
     * What is wrong.
     *
     * @param pointer JSON pointer to where; empty for the whole
     * @param reason what, in words
     */
    record SchemaViolation(String pointer, String reason) {
        /** Longer ones are left out of what programs read: a part of a pointer would be a pointer to something else. */
        private static final int MAX_POINTER_LENGTH = 2_000;

        /** In words, of arguments. */
        public String argumentsMessage() {
            return "arguments" + pointer + ": " + reason;
        }

        /** Why a call of {@code tool} with such arguments is not made; where the fault is, is for programs, too. */
        public ToolError toToolError(String tool) {
            return new ToolError(
                    ToolErrorCode.INVALID_ARGUMENTS,
                    "'" + tool + "' was called with invalid " + argumentsMessage(),
                    pointer.length() > MAX_POINTER_LENGTH
                            ? Optional.empty()
                            : Optional.of(Json.member("path", pointer)));
        }
    }
}
