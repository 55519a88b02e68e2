package org.sallyport.connector.http;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
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

/** Maps HTTP responses to tool results: JSON and text as they are, any other content as its type and Base64. */
final class HttpResponses {
    private static final int MAX_BODY_CHARS = 2_000;
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private HttpResponses() {}

    static ToolResult toToolResult(
            HttpOperation operation, GuardedHttpClient.GuardedHttpResponse response, boolean repeatable) {
        String tool = operation.definition().name();
        if (response.status() >= 400) {
            return failure(tool, response, repeatable);
        }
        if (response.body().length == 0) {
            return ToolResult.success(Json.NULL);
        }
        String type =
                response.contentType().map(ContentType::getMimeType).orElse("").toLowerCase(Locale.ROOT);
        if (type.endsWith("/json") || type.endsWith("+json")) {
            try {
                JsonNode result = JSON.readTree(response.body()).at(operation.resultPointer());
                return ToolResult.success(result.isMissingNode() ? Json.NULL : new Json(result.toString()));
            } catch (IOException e) {
                return ToolResult.failure(ToolErrorCode.TOOL_FAILED, "'" + tool + "' answered with invalid JSON");
            }
        }
        if (type.startsWith("text/") || type.endsWith("+xml") || type.endsWith("/xml")) {
            return ToolResult.success(new Json(TextNode.valueOf(text(response)).toString()));
        }
        ObjectNode bytes = JSON.createObjectNode();
        bytes.put("contentType", type);
        bytes.put("base64", Base64.getEncoder().encodeToString(response.body()));
        return ToolResult.success(new Json(bytes.toString()));
    }

    private static ToolResult failure(String tool, GuardedHttpClient.GuardedHttpResponse response, boolean repeatable) {
        String body = text(response);
        ObjectNode details = JSON.createObjectNode();
        details.put("status", response.status());
        details.put("body", body.length() > MAX_BODY_CHARS ? body.substring(0, MAX_BODY_CHARS) + "…" : body);
        return new ToolResult.ToolFailure(new ToolError(
                code(response.status(), repeatable),
                "'" + tool + "' answered with status " + response.status(),
                Optional.of(new Json(details.toString()))));
    }

    private static ToolErrorCode code(int status, boolean repeatable) {
        return switch (status) {
            case 429, 503 -> ToolErrorCode.BACKEND_UNAVAILABLE;
            case 502, 504 -> repeatable ? ToolErrorCode.BACKEND_UNAVAILABLE : ToolErrorCode.OUTCOME_UNKNOWN;
            default -> ToolErrorCode.TOOL_FAILED;
        };
    }

    private static String text(GuardedHttpClient.GuardedHttpResponse response) {
        Charset charset = response.contentType().map(ContentType::getCharset).orElse(StandardCharsets.UTF_8);
        return new String(response.body(), charset);
    }
}
