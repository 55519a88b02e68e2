package org.sallyport.web;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An answer that says what went wrong (RFC 9457).
 *
 * @param type which kind
 * @param detail what happened this time and what to do
 * @param members more members for programs
 */
public record Problem(ProblemType type, String detail, ObjectNode members) {
    /** The media type. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** A problem without further members. */
    public static Problem of(ProblemType type, String detail) {
        return new Problem(type, detail, JsonNodeFactory.instance.objectNode());
    }

    /** A problem with further members. */
    public static Problem of(ProblemType type, String detail, Consumer<ObjectNode> members) {
        Problem problem = of(type, detail);
        members.accept(problem.members());
        return problem;
    }

    /** The body. */
    public byte[] body(@Nullable String instance) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("type", type.uri());
        json.put("title", type.title());
        json.put("status", type.status());
        json.put("detail", detail);
        if (instance != null) {
            json.put("instance", instance);
        }
        json.setAll(members);
        return JsonText.bytes(json);
    }
}
