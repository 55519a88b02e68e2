package org.sallyport.web.api;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.submission.RunCapabilityRequest;
import org.sallyport.tool.Json;
import org.sallyport.variable.TenantVariable;

/** Reads requests to publish a capability, and references to the capability to run. */
final class CapabilityReader {
    private static final Set<String> PUBLISH_MEMBERS = Set.of(
            "name",
            "version",
            "code",
            "language",
            "description",
            "inputSchema",
            "outputSchema",
            "tools",
            "env",
            "tests",
            "sandbox");
    private static final Set<String> RUN_MEMBERS = Set.of("capability", "version", "integrity");
    private static final Pattern NAME_PATTERN =
            Pattern.compile("[a-z][a-z0-9_-]{0,39}(?:\\.[a-z][a-z0-9_-]{0,39}){0,2}");
    private static final int MAX_DESCRIPTION_LENGTH = 10_000;
    private static final int MAX_SCHEMA_LENGTH = 100_000;
    private static final int MAX_TOOLS = 200;
    private static final int MAX_TOOL_NAME_LENGTH = 300;
    private static final int MAX_NAME_LENGTH = 200;

    private CapabilityReader() {}

    /** A request to publish a version. */
    record PublishCapabilityRequest(String name, SemanticVersion version, CapabilityDefinition content) {}

    static PublishCapabilityRequest readPublishRequest(JsonMembers body, JsonSchemaValidator schemas) {
        body.rejectUnknown(PUBLISH_MEMBERS);
        String name = body.text("name", MAX_NAME_LENGTH).orElseThrow(() -> body.invalidMember("name", "is missing"));
        if (!NAME_PATTERN.matcher(name).matches()) {
            throw body.invalidMember(
                    "name",
                    "must be one to three parts with dots between, each of a lower-case letter and up to 39 more "
                            + "letters, digits, _ or -");
        }
        String version =
                body.text("version", MAX_NAME_LENGTH).orElseThrow(() -> body.invalidMember("version", "is missing"));
        SemanticVersion parsed = SemanticVersion.parse(version)
                .orElseThrow(() -> body.invalidMember(
                        "version",
                        "must be a version by Semantic Versioning without build metadata, as 1.0.0 or 2.1.0-rc.1"));
        List<String> env = body.texts("env", MAX_TOOLS, MAX_NAME_LENGTH).orElse(List.of());
        if (!env.stream().allMatch(TenantVariable::isValidName)) {
            throw body.invalidMember(
                    "env", "must hold names of variables: a letter or '_', then letters, digits or '_'");
        }
        return new PublishCapabilityRequest(
                name,
                parsed,
                new CapabilityDefinition(
                        SubmissionReader.language(body).orElse(ScriptLanguage.JAVASCRIPT),
                        SubmissionReader.script(body, "code", "the script to publish"),
                        body.text("tests", Integer.MAX_VALUE).filter(tests -> !tests.isBlank()),
                        body.text("description", MAX_DESCRIPTION_LENGTH).orElse(""),
                        schema(body, "inputSchema", schemas),
                        schema(body, "outputSchema", schemas),
                        body.texts("tools", MAX_TOOLS, MAX_TOOL_NAME_LENGTH).orElse(List.of()),
                        env,
                        sandbox(body)));
    }

    private static Optional<CapabilitySandbox> sandbox(JsonMembers body) {
        return body.text("sandbox", MAX_NAME_LENGTH)
                .map(text -> CapabilitySandbox.of(text)
                        .orElseThrow(() -> body.invalidMember("sandbox", "must be process or in-process")));
    }

    private static Optional<Json> schema(JsonMembers body, String member, JsonSchemaValidator schemas) {
        Optional<Json> schema = body.json(member).filter(json -> !json.equals(Json.NULL));
        schema.ifPresent(json -> {
            if (json.text().length() > MAX_SCHEMA_LENGTH) {
                throw body.invalidMember(member, "must have at most " + MAX_SCHEMA_LENGTH + " characters");
            }
            schemas.schemaError(json).ifPresent(reason -> {
                throw body.invalidMember(member, reason);
            });
        });
        return schema;
    }

    /** Whether a submission names a capability instead of containing a script. */
    static boolean namesCapability(JsonMembers body) {
        return body.has("capability");
    }

    static RunCapabilityRequest readRunRequest(JsonMembers body, Optional<IdempotencyKey> idempotency) {
        SubmissionReader.rejectUnknownWithoutCode(body, RUN_MEMBERS);
        return new RunCapabilityRequest(
                body.text("capability", MAX_NAME_LENGTH)
                        .orElseThrow(() -> body.invalidMember("capability", "is missing")),
                body.text("version", MAX_NAME_LENGTH),
                body.text("integrity", MAX_NAME_LENGTH),
                SubmissionReader.toSubmission(body, "", idempotency));
    }
}
