package org.sallyport.capability;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/**
 * The content of a version of a capability; immutable once published.
 *
 * @param language the language of code and tests
 * @param code the script
 * @param tests code that tests the script
 * @param description its purpose
 * @param inputSchema JSON Schema of its arguments
 * @param outputSchema JSON Schema of its result
 * @param tools globs of the tools that it needs
 * @param env names of the variables that it needs
 * @param sandbox where its executions run, if its publisher chose that
 */
public record CapabilityDefinition(
        ScriptLanguage language,
        String code,
        Optional<String> tests,
        String description,
        Optional<Json> inputSchema,
        Optional<Json> outputSchema,
        List<String> tools,
        List<String> env,
        Optional<CapabilitySandbox> sandbox) {
    public CapabilityDefinition {
        tools = List.copyOf(tools);
        env = List.copyOf(env);
    }

    /** Creates a definition whose executions run where the installation runs scripts. */
    public CapabilityDefinition(
            ScriptLanguage language,
            String code,
            Optional<String> tests,
            String description,
            Optional<Json> inputSchema,
            Optional<Json> outputSchema,
            List<String> tools,
            List<String> env) {
        this(language, code, tests, description, inputSchema, outputSchema, tools, env, Optional.empty());
    }

    /** Returns the SHA-256 of the content with a name and a version, as {@code sha256-} and hexadecimal digits. */
    public String hash(String name, SemanticVersion version) {
        MessageDigest digest = sha256();
        add(digest, name);
        add(digest, version.toString());
        add(digest, language.name());
        add(digest, code);
        add(digest, tests.orElse(null));
        add(digest, description);
        add(digest, inputSchema.map(Json::text).orElse(null));
        add(digest, outputSchema.map(Json::text).orElse(null));
        addAll(digest, tools);
        addAll(digest, env);
        sandbox.ifPresent(mode -> add(digest, mode.text()));
        return "sha256-" + HexFormat.of().formatHex(digest.digest());
    }

    private static void addAll(MessageDigest digest, List<String> texts) {
        add(digest, Integer.toString(texts.size()));
        texts.forEach(text -> add(digest, text));
    }

    /**
     * Each text is prefixed with its length, so different contents never yield the same bytes. UTF-16, because UTF-8
     * cannot encode lone surrogates.
     */
    private static void add(MessageDigest digest, @Nullable String text) {
        String length = text == null ? "-;" : text.length() + ";";
        digest.update(length.getBytes(StandardCharsets.US_ASCII));
        if (text != null) {
            digest.update(text.getBytes(StandardCharsets.UTF_16BE));
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
