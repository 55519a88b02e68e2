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

/** Tells what a server on the net would have been asked, and answers as it is told to; nothing leaves the service. */
@ApplicationScoped
@Backend(value = "httpbin", profile = "demo")
public class HttpBin {
    private static final int OK = 200;
    private static final int LEAST = 100;
    private static final int FIRST_ERROR = 400;
    private static final int MOST = 599;

    /** What is asked with. */
    public enum Method {
        GET,
        HEAD,
        POST,
        PUT,
        PATCH,
        DELETE
    }

    /** What came in. */
    public record Asked(
            Method method, String path, Map<String, String> headers, Optional<JsonNode> body, String callId) {}

    /** What goes out. */
    public record Answered(int status, Asked asked) {}

    @Tool(
            value =
                    "Gives back what it was asked with, and the status it was told to answer with; one from 400 on fails the call.",
            readOnly = true)
    public Answered anything(
            @Param("GET, unless another is given.") Optional<Method> method,
            @Param("/, unless another is given.") Optional<String> path,
            Optional<Map<String, String>> headers,
            Optional<JsonNode> body,
            @Param("200, unless another is given: 100 to 599.") Optional<Integer> status,
            ToolContext call) {
        int answer = status.orElse(OK);
        if (answer < LEAST || answer > MOST) {
            throw ToolException.invalid("status must be from 100 to 599");
        }
        if (answer >= FIRST_ERROR) {
            throw ToolException.failed("the server answered " + answer);
        }
        return new Answered(
                answer,
                new Asked(method.orElse(Method.GET), path.orElse("/"), headers.orElse(Map.of()), body, call.callId()));
    }
}
