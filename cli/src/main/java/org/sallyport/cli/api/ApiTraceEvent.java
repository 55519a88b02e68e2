package org.sallyport.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** One event of an execution's trace: a view of its complete JSON document. */
public record ApiTraceEvent(JsonNode json) {

    /** Returns the position in the trace, from 1; 0 if it is missing. */
    public long seq() {
        return ApiJson.number(json, "seq").orElse(0);
    }

    /** Returns the type in lower case with underscores, such as {@code tool_start} or {@code capability_start}. */
    public String type() {
        return ApiJson.text(json, "type").toLowerCase(Locale.ROOT).replace('-', '_');
    }

    public Optional<Instant> at() {
        return ApiExecution.parseInstant(json, "at");
    }

    /** Returns the call that the event belongs to; {@code ""} if it belongs to none. */
    public String call() {
        return ApiJson.text(json, "call");
    }

    public String tool() {
        return ApiJson.text(json, "tool");
    }

    public OptionalLong durationMillis() {
        return ApiJson.number(json, "durationMillis");
    }

    /** Returns false only if the event reports that its call failed. */
    public boolean success() {
        return json.path("success").asBoolean(!json.hasNonNull("error"));
    }

    /** Returns code and message of a failed call on one line; {@code ""} if there is no error. */
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
