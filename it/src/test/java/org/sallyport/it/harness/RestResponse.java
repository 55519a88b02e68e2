package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/**
 * What the server answered.
 *
 * @param text the body, as UTF-8
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

    /** A header's value, empty text when it is not there. */
    public String header(String name) {
        return headers.firstValue(name).orElse("");
    }

    /** The kind of problem: the last part of its type, or empty text when the answer is no problem. */
    public String problemType() {
        if (!header("Content-Type").startsWith("application/problem+json")) {
            return "";
        }
        String type = json().path("type").asText();
        return type.substring(type.lastIndexOf(':') + 1);
    }

    /** This answer, if it has that status; {@link AssertionError} with its body if not. */
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
