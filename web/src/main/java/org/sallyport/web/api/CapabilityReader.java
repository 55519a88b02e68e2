package org.sallyport.web.api;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.sallyport.capability.CapabilityContent;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.submission.CapabilityCall;
import org.sallyport.tool.Json;

/** Reads what is to be published, and which of what was published is to run. */
final class CapabilityReader {
    private static final Set<String> PUBLISHED = Set.of(
            "name",
            "version",
            "code",
            "language",
            "description",
            "inputSchema",
            "outputSchema",
            "tools",
            "env",
            "tests");
    private static final Set<String> RUN = Set.of("capability", "version", "integrity");
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,39}(?:\\.[a-z][a-z0-9_-]{0,39}){0,2}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final int LONGEST_TEXT = 10_000;
    private static final int LONGEST_SCHEMA = 100_000;
    private static final int MOST_TOOLS = 200;
    private static final int LONGEST_TOOL = 300;
    private static final int LONGEST_NAME = 200;

    private CapabilityReader() {}

    /** Somebody wants to publish this. */
    record Wanted(String name, SemanticVersion version, CapabilityContent content) {}

    static Wanted published(Members body, SchemaCheck schemas) {
        body.allow(PUBLISHED);
        String name = body.text("name", LONGEST_NAME).orElseThrow(() -> body.fault("name", "is missing"));
        if (!NAME.matcher(name).matches()) {
            throw body.fault(
                    "name",
                    "must be one to three parts with dots between, each of a lower-case letter and up to 39 more letters, digits, _ or -");
        }
        String version = body.text("version", LONGEST_NAME).orElseThrow(() -> body.fault("version", "is missing"));
        SemanticVersion parsed = SemanticVersion.parse(version)
                .orElseThrow(() -> body.fault(
                        "version",
                        "must be a version by Semantic Versioning without build metadata, as 1.0.0 or 2.1.0-rc.1"));
        List<String> env = body.texts("env", MOST_TOOLS, LONGEST_NAME).orElse(List.of());
        if (!env.stream().allMatch(each -> VARIABLE.matcher(each).matches())) {
            throw body.fault("env", "must hold names of variables");
        }
        return new Wanted(
                name,
                parsed,
                new CapabilityContent(
                        SubmissionReader.language(body).orElse(ScriptLanguage.JAVASCRIPT),
                        SubmissionReader.script(body, "code", "the script to publish"),
                        body.text("tests", Integer.MAX_VALUE).filter(tests -> !tests.isBlank()),
                        body.text("description", LONGEST_TEXT).orElse(""),
                        schema(body, "inputSchema", schemas),
                        schema(body, "outputSchema", schemas),
                        body.texts("tools", MOST_TOOLS, LONGEST_TOOL).orElse(List.of()),
                        env));
    }

    private static Optional<Json> schema(Members body, String member, SchemaCheck schemas) {
        Optional<Json> schema = body.json(member).filter(json -> !json.equals(Json.NULL));
        schema.ifPresent(json -> {
            if (json.text().length() > LONGEST_SCHEMA) {
                throw body.fault(member, "must have at most " + LONGEST_SCHEMA + " characters");
            }
            schemas.unusable(json).ifPresent(reason -> {
                throw body.fault(member, reason);
            });
        });
        return schema;
    }

    /** Whether a submission names a capability rather than bringing a script. */
    static boolean isCall(Members body) {
        return body.has("capability");
    }

    static CapabilityCall call(Members body, Optional<Idempotency> idempotency) {
        SubmissionReader.allowWithoutCode(body, RUN);
        return new CapabilityCall(
                body.text("capability", LONGEST_NAME).orElseThrow(() -> body.fault("capability", "is missing")),
                body.text("version", LONGEST_NAME),
                body.text("integrity", LONGEST_NAME),
                SubmissionReader.taken(body, "", idempotency));
    }
}
