package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** One event of an execution's trace; a view of its JSON, which is kept whole. */
public record TraceEvent(JsonNode json) {

    /** Place in the trace, from 1. */
    public long seq() {
        return Json.number(json, "seq").orElse(0);
    }

    /** Lower case with underscores, as in {@code tool_start} and {@code capability_start}. */
    public String type() {
        return Json.text(json, "type").toLowerCase(Locale.ROOT).replace('-', '_');
    }

    public Optional<Instant> at() {
        return Execution.instant(json, "at");
    }

    /** The call this event belongs to, {@code ""} if to none. */
    public String call() {
        return Json.text(json, "call");
    }

    public String tool() {
        return Json.text(json, "tool");
    }

    public OptionalLong durationMillis() {
        return Json.number(json, "durationMillis");
    }

    /** False only where the event says that its call failed. */
    public boolean success() {
        return json.path("success").asBoolean(!json.hasNonNull("error"));
    }

    /** Code and message of a failed call on one line, {@code ""} if there is none. */
    public String error() {
        JsonNode error = json.path("error");
        if (!error.isObject()) {
            return Json.text(json, "error");
        }
        String code = Json.text(error, "code");
        String message = Json.text(error, "message");
        return code.isEmpty() || message.isEmpty() ? code + message : code + ": " + message;
    }
}
