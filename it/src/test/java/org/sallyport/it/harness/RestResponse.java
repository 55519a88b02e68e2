package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/**
 * A response of the server.
 *
 * @param text the body, decoded as UTF-8
 */
public record RestResponse(int status, HttpHeaders headers, String text) {
    static RestResponse of(HttpResponse<byte[]> response) {
        return new RestResponse(
                response.statusCode(), response.headers(), new String(response.body(), StandardCharsets.UTF_8));
    }

    /** The body as JSON. */
    public JsonNode json() {
        return TestJson.read(text);
    }

    /** The value of a header, or an empty text if it is missing. */
    public String header(String name) {
        return headers.firstValue(name).orElse("");
    }

    /** The problem type: the last segment of its URI, or an empty text if the response is not a problem. */
    public String problemType() {
        if (!header("Content-Type").startsWith("application/problem+json")) {
            return "";
        }
        String type = json().path("type").asText();
        return type.substring(type.lastIndexOf(':') + 1);
    }

    /** Returns this response if it has that status. Throws {@link AssertionError} with the body otherwise. */
    public RestResponse expectStatus(int expected) {
        if (status != expected) {
            throw new AssertionError("expected " + expected + ", got " + this);
        }
        return this;
    }

    @Override
    public String toString() {
        return status + " " + (text.length() > 2_000 ? text.substring(0, 2_000) + "…" : text);
    }
}
