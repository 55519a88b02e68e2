package org.sallyport.connector;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.catalog.BackendNameRules;
import org.sallyport.tool.Json;

/**
 * Reads backends from a configuration file: YAML or JSON, with {@code backends} (name → kind, enabled and settings) or
 * {@code mcpServers} in the format of desktop clients.
 */
public final class BackendConfigFile {
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());
    private static final ObjectMapper JSON = new JsonMapper();
    private static final int MAX_BACKENDS = 200;

    private BackendConfigFile() {}

    /** Reads the backends in {@code file}; throws {@link InvalidBackendException} that names the invalid member. */
    public static List<BackendDefinition> read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new InvalidBackendException(file.getFileName().toString(), "cannot be read: " + e.getMessage());
        }
    }

    /** Reads the backends in a text; throws {@link InvalidBackendException} that names the invalid member. */
    public static List<BackendDefinition> parse(String text) {
        JsonNode root;
        try {
            root = YAML.readTree(text);
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            throw new InvalidBackendException(
                    "file",
                    "is no YAML and no JSON: " + e.getOriginalMessage()
                            + (at == null ? "" : " (line " + at.getLineNr() + ")"));
        }
        Map<String, BackendDefinition> backends = new LinkedHashMap<>();
        if (root == null || root.isMissingNode() || root.isNull()) {
            return List.of();
        }
        root.fieldNames().forEachRemaining(name -> {
            if (!name.equals("backends") && !name.equals("mcpServers")) {
                throw new InvalidBackendException(name, "is unknown; known are backends, mcpServers");
            }
        });
        entries(root, "backends").forEach((name, json) -> put(backends, backend(name, json)));
        entries(root, "mcpServers").forEach((name, json) -> put(backends, mcpServer(name, json)));
        if (backends.size() > MAX_BACKENDS) {
            throw new InvalidBackendException("backends", "must be at most " + MAX_BACKENDS);
        }
        return new ArrayList<>(backends.values());
    }

    private static void put(Map<String, BackendDefinition> backends, BackendDefinition backend) {
        if (backends.keySet().stream().anyMatch(name -> name.equalsIgnoreCase(backend.name()))) {
            throw new InvalidBackendException("backends." + backend.name(), "occurs twice");
        }
        backends.put(backend.name(), backend);
    }

    private static Map<String, ObjectNode> entries(JsonNode root, String member) {
        Map<String, ObjectNode> entries = new LinkedHashMap<>();
        JsonNode all = root.path(member);
        if (!all.isMissingNode() && !all.isNull() && !all.isObject()) {
            throw new InvalidBackendException(member, "must be an object of backends by name");
        }
        all.properties().forEach(entry -> {
            if (!(entry.getValue() instanceof ObjectNode object)) {
                throw new InvalidBackendException(member + "." + entry.getKey(), "must be an object");
            }
            entries.put(entry.getKey(), object);
        });
        return entries;
    }

    private static BackendDefinition backend(String name, ObjectNode json) {
        ObjectNode settings = json.deepCopy();
        JsonNode kind = settings.remove("kind");
        if (kind == null || !kind.isTextual()) {
            throw new InvalidBackendException("backends." + name + ".kind", "is missing or not a text");
        }
        JsonNode enabled = settings.remove("enabled");
        if (enabled != null && !enabled.isBoolean()) {
            throw new InvalidBackendException("backends." + name + ".enabled", "must be true or false");
        }
        return definition(name, kind.textValue(), settings, enabled == null || enabled.booleanValue());
    }

    /** Ignores members that are meant for desktop clients, such as the list of tools that need no confirmation. */
    private static BackendDefinition mcpServer(String name, ObjectNode json) {
        boolean remote = json.hasNonNull("url");
        ObjectNode settings = JSON.createObjectNode();
        for (String known : remote ? List.of("url", "headers") : List.of("command", "args", "env", "cwd")) {
            if (json.hasNonNull(known)) {
                settings.set(known, json.get(known));
            }
        }
        boolean enabled = !json.path("disabled").asBoolean(false);
        return definition(BackendNameRules.sanitize(name), remote ? "mcp-http" : "mcp-stdio", settings, enabled);
    }

    private static BackendDefinition definition(String name, String kind, ObjectNode settings, boolean enabled) {
        return new BackendDefinition(
                name,
                kind,
                new Json(settings.toString()),
                enabled,
                BackendOrigin.FILE,
                UUID.randomUUID().toString());
    }
}
