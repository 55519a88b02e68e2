package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** One execution as the API returned it: a view of the complete JSON document. */
public record ApiExecution(JsonNode json) {
    private static final Set<String> TERMINAL = Set.of("COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT");

    public String id() {
        return text("id");
    }

    /** Returns the state in upper case, such as {@code COMPLETED}. */
    public String state() {
        return text("state");
    }

    /** Returns whether the state is terminal. */
    public boolean isFinished() {
        return TERMINAL.contains(state());
    }

    /** Returns the script's return value; empty if it returned none. */
    public Optional<JsonNode> result() {
        JsonNode result = json.path("result");
        return result.isMissingNode() ? Optional.empty() : Optional.of(result);
    }

    /** Returns the error, if the execution has one. */
    public Optional<ApiExecutionError> error() {
        JsonNode error = json.path("error");
        return error.isObject() ? Optional.of(new ApiExecutionError(error)) : Optional.empty();
    }

    /** Returns the code of the error, such as {@code script-error}; {@code ""} if the execution has no error. */
    public String errorCode() {
        return error().map(ApiExecutionError::code).orElse("");
    }

    /** Returns the id of the next attempt, if the execution has failed and is run again. */
    public Optional<String> nextAttempt() {
        return Optional.of(ApiJson.text(json.path("retry"), "next")).filter(id -> !id.isEmpty());
    }

    /** Returns standard output from the requested offset. */
    public ApiOutputChunk output() {
        return new ApiOutputChunk(text("output"), number("outputLength"));
    }

    /** Returns standard error output from the requested offset. */
    public ApiOutputChunk errorOutput() {
        return new ApiOutputChunk(text("errorOutput"), number("errorOutputLength"));
    }

    /** Returns whether a stream was truncated at its limit. */
    public boolean isTruncated() {
        JsonNode truncated = json.path("truncated");
        for (JsonNode stream : truncated) {
            if (stream.asBoolean()) {
                return true;
            }
        }
        return truncated.asBoolean(false);
    }

    public Optional<Instant> createdAt() {
        return parseInstant(json, "createdAt");
    }

    public Optional<Instant> startedAt() {
        return parseInstant(json, "startedAt");
    }

    public Optional<Instant> finishedAt() {
        return parseInstant(json, "finishedAt");
    }

    /** Returns the text of a member; {@code ""} if it is missing or null. */
    public String text(String member) {
        return ApiJson.text(json, member);
    }

    /** Returns the number of a member; empty if it is missing or not a number. */
    public OptionalLong number(String member) {
        return ApiJson.number(json, member);
    }

    static Optional<Instant> parseInstant(JsonNode json, String member) {
        try {
            String text = ApiJson.text(json, member);
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Error of an execution. */
    public record ApiExecutionError(JsonNode json) {
        /** Returns the stable error code, such as {@code script-error}. */
        public String code() {
            return ApiJson.text(json, "code");
        }

        /** Returns the origin of the error: user, tool, limit or internal. */
        public String origin() {
            return ApiJson.text(json, "culprit");
        }

        public String message() {
            return ApiJson.text(json, "message");
        }

        /** Returns the line in the author's source, from 1. */
        public OptionalLong line() {
            return ApiJson.number(json, "line");
        }

        /** Returns the column in the author's source, from 1. */
        public OptionalLong column() {
            return ApiJson.number(json, "column");
        }

        public String stack() {
            return ApiJson.text(json, "stack");
        }

        /** Returns the tool whose call failed; {@code ""} if none did. */
        public String tool() {
            return ApiJson.text(json, "tool");
        }
    }

    /**
     * A chunk of an output stream.
     *
     * @param text output after the requested offset
     * @param totalLength length of the whole stream so far, in characters
     */
    public record ApiOutputChunk(String text, OptionalLong totalLength) {
        /** Returns the offset for the next request, given the offset of the request for this chunk. */
        public long nextOffset(long offset) {
            if (text.isEmpty()) {
                return offset;
            }
            // The service may count code points or UTF-16 units; its total length shows which.
            long byCodePoint = offset + text.codePointCount(0, text.length());
            return totalLength.orElse(-1) == byCodePoint ? byCodePoint : offset + text.length();
        }
    }
}
