package org.sallyport.capability;

import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/** Validates values by JSON Schemas. Thread-safe. */
public interface JsonSchemaValidator {

    /** Returns why {@code schema} is not usable; empty when it is usable. */
    Optional<String> schemaError(Json schema);

    /** Returns the first violation of a usable schema; empty when {@code value} is valid. */
    Optional<SchemaViolation> validate(Json schema, Json value);

    /**
     * A violation.
     *
     * @param pointer JSON pointer to the violation; empty for the whole value
     * @param reason a description
     */
    record SchemaViolation(String pointer, String reason) {
        /** Longer pointers are omitted from the details: a truncated pointer would refer to something else. */
        private static final int MAX_POINTER_LENGTH = 2_000;

        /** Returns the message for a violation in arguments. */
        public String argumentsMessage() {
            return "arguments" + pointer + ": " + reason;
        }

        /** Returns the error for a call of {@code tool} with such arguments; its details contain the pointer. */
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
