package org.sallyport.web;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.System.Logger.Level;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An error response (RFC 9457).
 *
 * @param type the kind of problem
 * @param detail what happened this time and what to do
 * @param members additional members for programs
 */
public record Problem(ProblemType type, String detail, ObjectNode members) {
    /** The media type. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** A problem without additional members. */
    public static Problem of(ProblemType type, String detail) {
        return new Problem(type, detail, JsonNodeFactory.instance.objectNode());
    }

    /** A problem with additional members. */
    public static Problem of(ProblemType type, String detail, Consumer<ObjectNode> members) {
        Problem problem = of(type, detail);
        members.accept(problem.members());
        return problem;
    }

    /** The problem of a plain HTTP status. */
    public static Problem ofStatus(int status) {
        return switch (status) {
            case 404 -> of(ProblemType.NOT_FOUND, "there is nothing at this path");
            case 405 -> of(ProblemType.METHOD_NOT_ALLOWED, "this path does not support this method");
            case 406 -> of(ProblemType.NOT_ACCEPTABLE, "this path answers application/json");
            case 413 -> of(ProblemType.PAYLOAD_TOO_LARGE, "the request is larger than the service takes");
            case 415 -> of(ProblemType.UNSUPPORTED_MEDIA_TYPE, "send 'Content-Type: application/json'");
            case 503 -> of(ProblemType.UNAVAILABLE, "the service cannot answer now; try again shortly");
            default ->
                status >= 500
                        ? of(ProblemType.INTERNAL_ERROR, "the service failed")
                        : of(ProblemType.VALIDATION, "the request is not valid");
        };
    }

    /** Logs an internal error with a number, and returns a problem that contains the number but no details. */
    public static Problem ofInternalError(Throwable error) {
        String incident = UUID.randomUUID().toString();
        System.getLogger(Problem.class.getName()).log(Level.ERROR, "incident " + incident, error);
        return of(
                ProblemType.INTERNAL_ERROR,
                "internal error; search the service log for incident " + incident,
                members -> members.put("incident", incident));
    }

    /** The problem as a part of another response. */
    public ObjectNode json() {
        return json(null);
    }

    /** The problem as a response body. */
    public byte[] body(@Nullable String instance) {
        return JsonUtf8Writer.bytes(json(instance));
    }

    private ObjectNode json(@Nullable String instance) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("type", type.uri());
        json.put("title", type.title());
        json.put("status", type.status());
        json.put("detail", detail);
        if (instance != null) {
            json.put("instance", instance);
        }
        json.setAll(members);
        return json;
    }
}
