package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The body of a submission, built member by member. Immutable. */
public final class Submission {
    private final ObjectNode body;

    private Submission(ObjectNode body) {
        this.body = body;
    }

    /** A script in JavaScript. */
    public static Submission javascript(String code) {
        return new Submission(Json.object().put("code", code));
    }

    /** A script in TypeScript. */
    public static Submission typescript(String code) {
        return javascript(code).with("language", Json.read("\"typescript\""));
    }

    /** With a member set. */
    public Submission with(String member, JsonNode value) {
        ObjectNode copy = body.deepCopy();
        copy.set(member, value);
        return new Submission(copy);
    }

    /** With a member set to a JSON text. */
    public Submission with(String member, String json) {
        return with(member, Json.read(json));
    }

    /** With input. */
    public Submission args(String json) {
        return with("args", json);
    }

    /** With a limit. */
    public Submission limit(String name, long value) {
        ObjectNode limits = body.path("limits") instanceof ObjectNode there ? there.deepCopy() : Json.object();
        return with("limits", limits.put(name, value));
    }

    /** With a label. */
    public Submission label(String name, String value) {
        ObjectNode labels = body.path("labels") instanceof ObjectNode there ? there.deepCopy() : Json.object();
        return with("labels", labels.put(name, value));
    }

    /** With the tools it may call. */
    public Submission grants(String... globs) {
        var grants = Json.array();
        List.of(globs).forEach(grants::add);
        return with("grants", grants);
    }

    /** The body as JSON text. */
    public String json() {
        return Json.write(body);
    }
}
