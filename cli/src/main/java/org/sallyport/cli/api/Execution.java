package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** One execution as the API showed it; a view of the JSON document, which is kept whole. */
public record Execution(JsonNode json) {
    private static final Set<String> TERMINAL = Set.of("COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT");

    public String id() {
        return text("id");
    }

    /** Upper case, as in {@code COMPLETED}. */
    public String state() {
        return text("state");
    }

    /** Whether the state is one that is never left. */
    public boolean finished() {
        return TERMINAL.contains(state());
    }

    /** The script's return value, if it returned one. */
    public Optional<JsonNode> result() {
        JsonNode result = json.path("result");
        return result.isMissingNode() ? Optional.empty() : Optional.of(result);
    }

    /** Why it failed, if it did. */
    public Optional<Failure> error() {
        JsonNode error = json.path("error");
        return error.isObject() ? Optional.of(new Failure(error)) : Optional.empty();
    }

    /** Standard output from the offset that was asked for. */
    public Chunk output() {
        return new Chunk(text("output"), number("outputLength"));
    }

    /** Standard error output from the offset that was asked for. */
    public Chunk errorOutput() {
        return new Chunk(text("errorOutput"), number("errorOutputLength"));
    }

    /** Whether output was cut at its limit. */
    public boolean truncated() {
        JsonNode truncated = json.path("truncated");
        for (JsonNode stream : truncated) {
            if (stream.asBoolean()) {
                return true;
            }
        }
        return truncated.asBoolean(false);
    }

    public Optional<Instant> createdAt() {
        return instant(json, "createdAt");
    }

    public Optional<Instant> startedAt() {
        return instant(json, "startedAt");
    }

    public Optional<Instant> finishedAt() {
        return instant(json, "finishedAt");
    }

    /** A member's text, {@code ""} where it is missing or null. */
    public String text(String member) {
        return Json.text(json, member);
    }

    /** A member's whole number, if it has one. */
    public OptionalLong number(String member) {
        return Json.number(json, member);
    }

    static Optional<Instant> instant(JsonNode json, String member) {
        try {
            String text = Json.text(json, member);
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Why an execution failed. */
    public record Failure(JsonNode json) {
        /** A stable word such as {@code script-error}. */
        public String code() {
            return Json.text(json, "code");
        }

        /** Whose fault it is: user, tool, limit, internal. */
        public String culprit() {
            return Json.text(json, "culprit");
        }

        public String message() {
            return Json.text(json, "message");
        }

        /** Line in the author's source, from 1. */
        public OptionalLong line() {
            return Json.number(json, "line");
        }

        /** Column in the author's source, from 1. */
        public OptionalLong column() {
            return Json.number(json, "column");
        }

        public String stack() {
            return Json.text(json, "stack");
        }

        /** The tool whose call failed, {@code ""} if none did. */
        public String tool() {
            return Json.text(json, "tool");
        }
    }

    /**
     * A piece of an output stream.
     *
     * @param text what follows the offset that was asked for
     * @param total length of the whole stream so far, in characters
     */
    public record Chunk(String text, OptionalLong total) {
        /** The offset to ask for next, given the one that this piece was asked with. */
        public long next(long offset) {
            if (text.isEmpty()) {
                return offset;
            }
            // Whether a character is a code point or a UTF-16 unit is for the service to say: its total decides.
            long byCodePoint = offset + text.codePointCount(0, text.length());
            return total.orElse(-1) == byCodePoint ? byCodePoint : offset + text.length();
        }
    }
}
