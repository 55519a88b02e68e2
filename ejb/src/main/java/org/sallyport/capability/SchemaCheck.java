package org.sallyport.capability;

import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;

/** Judges values by JSON Schemas. Thread-safe. */
public interface SchemaCheck {

    /** Why {@code schema} is not usable; empty when it is. */
    Optional<String> unusable(Json schema);

    /** The first thing that is wrong with {@code value} by a schema that is usable; empty when nothing is. */
    Optional<Fault> fault(Json schema, Json value);

    /**
     * What is wrong.
     *
     * @param pointer JSON pointer to where; empty for the whole
     * @param reason what, in words
     */
    record Fault(String pointer, String reason) {
        /** Longer ones are left out of what programs read: a part of a pointer would be a pointer to something else. */
        private static final int LONGEST_POINTER = 2_000;

        /** In words, of arguments. */
        public String ofArguments() {
            return "arguments" + pointer + ": " + reason;
        }

        /** Why a call of {@code tool} with such arguments is not made; where the fault is, is for programs, too. */
        public ToolError refusal(String tool) {
            return new ToolError(
                    ToolErrorCode.INVALID_ARGUMENTS,
                    "'" + tool + "' was called with invalid " + ofArguments(),
                    pointer.length() > LONGEST_POINTER ? Optional.empty() : Optional.of(Json.member("path", pointer)));
        }
    }
}
