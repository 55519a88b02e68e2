package org.sallyport.cli.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A problem (RFC 9457) that the service returned. An error response of another content type is converted to a problem,
 * so that callers handle only one shape.
 *
 * @param status the HTTP status
 * @param kind the last part of the problem's {@code type}, such as {@code syntax-error}; {@code ""} if it has none
 * @param errors one text for each entry of the member {@code errors}
 * @param retryAfter the {@code Retry-After} header as received
 * @param json the complete problem document, for {@code --json}
 */
public record ApiProblem(
        int status,
        String kind,
        String title,
        String detail,
        OptionalLong line,
        OptionalLong column,
        String codeFrame,
        List<String> errors,
        Optional<String> retryAfter,
        JsonNode json) {

    public ApiProblem {
        errors = List.copyOf(errors);
    }

    /** Parses the body of a response with status 400 or higher. */
    static ApiProblem parse(int status, String body, Optional<String> retryAfter) {
        JsonNode json = objectOrEmpty(body);
        String title = ApiJson.text(json, "title");
        return new ApiProblem(
                status,
                lastPart(ApiJson.text(json, "type")),
                title.isEmpty() ? "HTTP " + status : title,
                ApiJson.text(json, "detail"),
                ApiJson.number(json, "line"),
                ApiJson.number(json, "column"),
                ApiJson.text(json, "codeFrame"),
                errorsOf(json.path("errors")),
                retryAfter,
                json.isEmpty() ? ApiJson.object().put("status", status).put("title", "HTTP " + status) : json);
    }

    private static JsonNode objectOrEmpty(String body) {
        try {
            JsonNode json = ApiJson.parse(body);
            return json.isObject() ? json : ApiJson.object();
        } catch (JsonProcessingException e) {
            return ApiJson.object();
        }
    }

    private static String lastPart(String type) {
        String last = type.substring(Math.max(type.lastIndexOf('/'), type.lastIndexOf(':')) + 1);
        return "blank".equals(last) ? "" : last;
    }

    private static List<String> errorsOf(JsonNode errors) {
        List<String> texts = new ArrayList<>();
        for (JsonNode error : errors) {
            texts.add(error.isTextual() ? error.asText() : errorText(error));
        }
        return texts;
    }

    private static String errorText(JsonNode error) {
        String where = firstOf(error, "pointer", "path", "field", "member");
        String what = firstOf(error, "detail", "message", "title");
        if (what.isEmpty()) {
            return ApiJson.compact(error);
        }
        return where.isEmpty() ? what : where + ": " + what;
    }

    private static String firstOf(JsonNode object, String... members) {
        for (String member : members) {
            String text = ApiJson.text(object, member);
            if (!text.isEmpty()) {
                return text;
            }
        }
        return "";
    }
}
