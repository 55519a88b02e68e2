package org.sallyport.connector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.catalog.BackendNameRules;
import org.sallyport.connector.document.JsonOrYamlReader;
import org.sallyport.connector.document.UnreadableDocumentException;
import org.sallyport.tool.Json;

/**
 * Reads backends from a configuration file: YAML or JSON, with {@code backends} (name → kind, enabled and settings), or
 * with {@code mcpServers} or {@code servers} in the formats of desktop clients and editors. Other settings of a client,
 * beside its servers, are ignored.
 */
public final class BackendConfigFile {
    private static final int MAX_LENGTH = 10_000_000;
    private static final int MAX_BACKENDS = 200;

    private static final String BACKENDS = "backends";

    /** Members that begin so are for anchors and notes. */
    private static final String EXTENSION_PREFIX = "x-";

    /** {@code inputs} are questions that an editor asks; a server that uses their answers is refused. */
    private static final Set<String> KNOWN_MEMBERS = Set.of(BACKENDS, "mcpServers", "servers", "inputs");

    private BackendConfigFile() {}

    /** Reads the backends in {@code file}; throws {@link InvalidBackendException} that names the invalid member. */
    public static List<BackendDefinition> read(Path file) {
        String name = file.getFileName().toString();
        try {
            if (Files.size(file) > MAX_LENGTH) {
                throw new InvalidBackendException(name, "has more than " + MAX_LENGTH + " bytes");
            }
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new InvalidBackendException(name, "cannot be read: " + e.getMessage());
        }
    }

    /** Reads the backends in a text; throws {@link InvalidBackendException} that names the invalid member. */
    public static List<BackendDefinition> parse(String text) {
        JsonNode root;
        try {
            root = JsonOrYamlReader.read(text);
        } catch (UnreadableDocumentException e) {
            throw new InvalidBackendException("file", String.valueOf(e.getMessage()));
        }
        Map<String, BackendDefinition> backends = new LinkedHashMap<>();
        if (root.isNull()) {
            return List.of();
        }
        if (!root.isObject()) {
            throw new InvalidBackendException("file", "must be an object");
        }
        boolean ofDesktopClient =
                !root.has(BACKENDS) && DesktopServers.ROOT_MEMBERS.stream().anyMatch(root::has);
        root.fieldNames().forEachRemaining(name -> {
            if (!ofDesktopClient && !KNOWN_MEMBERS.contains(name) && !name.startsWith(EXTENSION_PREFIX)) {
                throw new InvalidBackendException(name, "is unknown; known are backends, mcpServers, servers");
            }
        });
        entries(root, BACKENDS).forEach((name, json) -> put(backends, backend(name, json)));
        for (String servers : DesktopServers.ROOT_MEMBERS) {
            entries(root, servers).forEach((name, json) -> put(backends, mcpServer(servers, name, json)));
        }
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
        if (kind.textValue().startsWith("mcp-")) {
            DesktopServers.convertScalars("backends." + name, settings);
        }
        return definition(name, kind.textValue(), settings, enabled == null || enabled.booleanValue());
    }

    private static BackendDefinition mcpServer(String servers, String name, ObjectNode json) {
        DesktopServers.DesktopServer server = DesktopServers.read(servers + "." + name, json);
        return definition(BackendNameRules.sanitize(name), server.kind(), server.settings(), server.enabled());
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
