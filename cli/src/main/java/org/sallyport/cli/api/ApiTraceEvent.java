package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** One event of an execution's trace; a view of its JSON, which is kept whole. */
public record ApiTraceEvent(JsonNode json) {

    /** Place in the trace, from 1. */
    public long seq() {
        return ApiJson.number(json, "seq").orElse(0);
    }

    /** Lower case with underscores, as in {@code tool_start} and {@code capability_start}. */
    public String type() {
        return ApiJson.text(json, "type").toLowerCase(Locale.ROOT).replace('-', '_');
    }

    public Optional<Instant> at() {
        return ApiExecution.parseInstant(json, "at");
    }

    /** The call this event belongs to, {@code ""} if to none. */
    public String call() {
        return ApiJson.text(json, "call");
    }

    public String tool() {
        return ApiJson.text(json, "tool");
    }

    public OptionalLong durationMillis() {
        return ApiJson.number(json, "durationMillis");
    }

    /** False only where the event says that its call failed. */
    public boolean success() {
        return json.path("success").asBoolean(!json.hasNonNull("error"));
    }

    /** Code and message of a failed call on one line, {@code ""} if there is none. */
    public String error() {
        JsonNode error = json.path("error");
        if (!error.isObject()) {
            return ApiJson.text(json, "error");
        }
        String code = ApiJson.text(error, "code");
        String message = ApiJson.text(error, "message");
        return code.isEmpty() || message.isEmpty() ? code + message : code + ": " + message;
    }
}
