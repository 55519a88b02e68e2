package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.apache.hc.core5.http.ContentType;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Maps HTTP responses to tool results: JSON and text as they are, any other content as its type and Base64. Errors have
 * {@code {status, headers, body}} in their details, and {@code retryAfterMillis} if the server says when to try again.
 * A redirect counts as an error.
 */
final class HttpResponses {
    private static final int MAX_BODY_CHARS = 2_000;
    private static final int MAX_LOCATION_CHARS = 300;
    private static final int NOT_MODIFIED = 304;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private HttpResponses() {}

    static ToolResult toToolResult(
            HttpOperation operation, GuardedHttpClient.GuardedHttpResponse response, boolean repeatable) {
        String answered = "'" + operation.definition().name() + "' answered with ";
        if (response.status() >= 300 && response.status() != NOT_MODIFIED) {
            return failure(
                    operation, response, code(response.status(), repeatable), answered + "status " + response.status());
        }
        JsonNode body;
        try {
            body = body(response, operation.resultPointer());
        } catch (IOException e) {
            return failure(operation, response, ToolErrorCode.TOOL_FAILED, answered + "invalid JSON");
        }
        if (!operation.response().full()) {
            return ToolResult.success(new Json(body.toString()));
        }
        Optional<ObjectNode> headers = operation.response().shownHeaders(response);
        if (headers.isEmpty()) {
            return ToolResult.failure(ToolErrorCode.TOO_LARGE, answered + "headers that are too long for its result");
        }
        ObjectNode full = NODES.objectNode().put("status", response.status());
        full.set("headers", headers.get());
        full.set("body", body);
        return ToolResult.success(new Json(full.toString()));
    }

    /** The result for a redirect that is not followed: the server answered, so that its answer is not lost. */
    static ToolResult toFailure(HttpOperation operation, RedirectPolicy.RedirectNotFollowedException redirect) {
        String location = redirect.response().header("location").orElse("");
        return failure(
                operation,
                redirect.response(),
                redirect.denied() ? ToolErrorCode.EGRESS_DENIED : ToolErrorCode.TOOL_FAILED,
                "'" + operation.definition().name() + "' answered with status "
                        + redirect.response().status() + " and the location '"
                        + truncate(location, MAX_LOCATION_CHARS) + "', which was not called: "
                        + redirect.getMessage());
    }

    private static JsonNode body(GuardedHttpClient.GuardedHttpResponse response, String pointer) throws IOException {
        if (response.body().length == 0) {
            return NullNode.instance;
        }
        String type =
                response.contentType().map(ContentType::getMimeType).orElse("").toLowerCase(Locale.ROOT);
        if (BodyFormat.isJson(type)) {
            JsonNode result = json(response).at(pointer);
            return result.isMissingNode() ? NullNode.instance : result;
        }
        return BodyFormat.isText(type) || type.endsWith("/xml")
                ? TextNode.valueOf(text(response))
                : NODES.objectNode()
                        .put("contentType", type)
                        .put("base64", Base64.getEncoder().encodeToString(response.body()));
    }

    /** JSON is in UTF-8, unless the server says that it is not. */
    private static JsonNode json(GuardedHttpClient.GuardedHttpResponse response) throws IOException {
        boolean other = response.contentType()
                .map(ContentType::getCharset)
                .filter(charset -> !charset.equals(StandardCharsets.UTF_8))
                .isPresent();
        return other ? ExactJsonMapper.read(text(response)) : ExactJsonMapper.read(response.body());
    }

    private static ToolResult failure(
            HttpOperation operation,
            GuardedHttpClient.GuardedHttpResponse response,
            ToolErrorCode code,
            String message) {
        ObjectNode details = NODES.objectNode().put("status", response.status());
        details.set("headers", operation.response().headerExcerpt(response));
        details.put("body", truncate(text(response), MAX_BODY_CHARS));
        RetryAfterHeader.parseMillis(response.header("retry-after"), response.header("date"))
                .ifPresent(millis -> details.put("retryAfterMillis", millis));
        return new ToolResult.ToolFailure(new ToolError(code, message, Optional.of(new Json(details.toString()))));
    }

    private static ToolErrorCode code(int status, boolean repeatable) {
        return switch (status) {
            case 429, 503 -> ToolErrorCode.BACKEND_UNAVAILABLE;
            case 502, 504 -> repeatable ? ToolErrorCode.BACKEND_UNAVAILABLE : ToolErrorCode.OUTCOME_UNKNOWN;
            default -> ToolErrorCode.TOOL_FAILED;
        };
    }

    private static String truncate(String text, int longest) {
        return text.length() > longest ? text.substring(0, longest) + "…" : text;
    }

    private static String text(GuardedHttpClient.GuardedHttpResponse response) {
        Charset charset = response.contentType().map(ContentType::getCharset).orElse(StandardCharsets.UTF_8);
        return new String(response.body(), charset);
    }
}
