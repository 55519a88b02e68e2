package org.sallyport.connector.demo;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Optional;
import org.sallyport.bean.Backend;
import org.sallyport.bean.Param;
import org.sallyport.bean.Tool;
import org.sallyport.bean.ToolContext;
import org.sallyport.bean.ToolException;

/**
 * Echoes the HTTP request that a server would have received, with a requested status. Sends nothing over the network.
 */
@ApplicationScoped
@Backend(value = "httpbin", profile = "demo")
public class HttpBin {
    private static final int OK = 200;
    private static final int MIN_STATUS = 100;
    private static final int FIRST_ERROR_STATUS = 400;
    private static final int MAX_STATUS = 599;

    /** HTTP method of the request. */
    public enum HttpBinMethod {
        GET,
        HEAD,
        POST,
        PUT,
        PATCH,
        DELETE
    }

    /** The request as received. */
    public record HttpBinRequest(
            HttpBinMethod method, String path, Map<String, String> headers, Optional<JsonNode> body, String callId) {}

    /** The response. */
    public record HttpBinResponse(int status, HttpBinRequest asked) {}

    @Tool(
            value = "Gives back what it was asked with, and the status it was told to answer with; one from 400 on "
                    + "fails the call.",
            readOnly = true)
    public HttpBinResponse anything(
            @Param("GET, unless another is given.") Optional<HttpBinMethod> method,
            @Param("/, unless another is given.") Optional<String> path,
            Optional<Map<String, String>> headers,
            Optional<JsonNode> body,
            @Param("200, unless another is given: 100 to 599.") Optional<Integer> status,
            ToolContext call) {
        int answer = status.orElse(OK);
        if (answer < MIN_STATUS || answer > MAX_STATUS) {
            throw ToolException.invalid("status must be from 100 to 599");
        }
        if (answer >= FIRST_ERROR_STATUS) {
            throw ToolException.failed("the server answered " + answer);
        }
        return new HttpBinResponse(
                answer,
                new HttpBinRequest(
                        method.orElse(HttpBinMethod.GET),
                        path.orElse("/"),
                        headers.orElse(Map.of()),
                        body,
                        call.callId()));
    }
}
