package org.sallyport.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The body of a submission, built member by member. Immutable. */
public final class SubmissionBody {
    private final ObjectNode body;

    private SubmissionBody(ObjectNode body) {
        this.body = body;
    }

    /** A script in JavaScript. */
    public static SubmissionBody javascript(String code) {
        return new SubmissionBody(TestJson.object().put("code", code));
    }

    /** A script in TypeScript. */
    public static SubmissionBody typescript(String code) {
        return javascript(code).with("language", TestJson.read("\"typescript\""));
    }

    /** A copy with a member. */
    public SubmissionBody with(String member, JsonNode value) {
        ObjectNode copy = body.deepCopy();
        copy.set(member, value);
        return new SubmissionBody(copy);
    }

    /** A copy with a member whose value is a JSON text. */
    public SubmissionBody with(String member, String json) {
        return with(member, TestJson.read(json));
    }

    /** A copy without a member. */
    public SubmissionBody without(String member) {
        ObjectNode copy = body.deepCopy();
        copy.remove(member);
        return new SubmissionBody(copy);
    }

    /** A copy with arguments of the script. */
    public SubmissionBody args(String json) {
        return with("args", json);
    }

    /** A copy with a limit. */
    public SubmissionBody limit(String name, long value) {
        ObjectNode limits = body.path("limits") instanceof ObjectNode there ? there.deepCopy() : TestJson.object();
        return with("limits", limits.put(name, value));
    }

    /** A copy with a label. */
    public SubmissionBody label(String name, String value) {
        ObjectNode labels = body.path("labels") instanceof ObjectNode there ? there.deepCopy() : TestJson.object();
        return with("labels", labels.put(name, value));
    }

    /** A copy with grants. */
    public SubmissionBody grants(String... globs) {
        var grants = TestJson.array();
        List.of(globs).forEach(grants::add);
        return with("grants", grants);
    }

    /** The body as JSON text. */
    public String json() {
        return TestJson.write(body);
    }
}
