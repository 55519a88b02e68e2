package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** One execution as the API showed it; a view of the JSON document, which is kept whole. */
public record ApiExecution(JsonNode json) {
    private static final Set<String> TERMINAL = Set.of("COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT");

    public String id() {
        return text("id");
    }

    /** Upper case, as in {@code COMPLETED}. */
    public String state() {
        return text("state");
    }

    /** Whether the state is one that is never left. */
    public boolean isFinished() {
        return TERMINAL.contains(state());
    }

    /** The script's return value, if it returned one. */
    public Optional<JsonNode> result() {
        JsonNode result = json.path("result");
        return result.isMissingNode() ? Optional.empty() : Optional.of(result);
    }

    /** Why it failed, if it did. */
    public Optional<ApiExecutionError> error() {
        JsonNode error = json.path("error");
        return error.isObject() ? Optional.of(new ApiExecutionError(error)) : Optional.empty();
    }

    /** Standard output from the offset that was asked for. */
    public ApiOutputChunk output() {
        return new ApiOutputChunk(text("output"), number("outputLength"));
    }

    /** Standard error output from the offset that was asked for. */
    public ApiOutputChunk errorOutput() {
        return new ApiOutputChunk(text("errorOutput"), number("errorOutputLength"));
    }

    /** Whether output was cut at its limit. */
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

    /** A member's text, {@code ""} where it is missing or null. */
    public String text(String member) {
        return ApiJson.text(json, member);
    }

    /** A member's whole number, if it has one. */
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

    /** Why an execution failed. */
    public record ApiExecutionError(JsonNode json) {
        /** A stable word such as {@code script-error}. */
        public String code() {
            return ApiJson.text(json, "code");
        }

        /** Whose fault it is: user, tool, limit, internal. */
        public String origin() {
            return ApiJson.text(json, "culprit");
        }

        public String message() {
            return ApiJson.text(json, "message");
        }

        /** Line in the author's source, from 1. */
        public OptionalLong line() {
            return ApiJson.number(json, "line");
        }

        /** Column in the author's source, from 1. */
        public OptionalLong column() {
            return ApiJson.number(json, "column");
        }

        public String stack() {
            return ApiJson.text(json, "stack");
        }

        /** The tool whose call failed, {@code ""} if none did. */
        public String tool() {
            return ApiJson.text(json, "tool");
        }
    }

    /**
     * A piece of an output stream.
     *
     * @param text what follows the offset that was asked for
     * @param totalLength length of the whole stream so far, in characters
     */
    public record ApiOutputChunk(String text, OptionalLong totalLength) {
        /** The offset to ask for next, given the one that this piece was asked with. */
        public long nextOffset(long offset) {
            if (text.isEmpty()) {
                return offset;
            }
            // Whether a character is a code point or a UTF-16 unit is for the service to say: its total decides.
            long byCodePoint = offset + text.codePointCount(0, text.length());
            return totalLength.orElse(-1) == byCodePoint ? byCodePoint : offset + text.length();
        }
    }
}
