package org.sallyport.modules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.sallyport.sandbox.LibraryModule;

/**
 * Reads the registry: a JSON list of {@code {"name", "version", "file", "sha256"}} with the files next to it. A file
 * with another hash stops the start, so that imported code cannot change without the operator's consent.
 */
public final class LibraryModuleRegistry {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long MAX_FILE_BYTES = 2 << 20;
    private static final Pattern NAME = Pattern.compile("(?:@[a-z0-9-]+/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?");

    private LibraryModuleRegistry() {}

    /**
     * Returns the modules of {@code registry}. Throws {@link IllegalArgumentException} with the reason when it is
     * invalid.
     */
    public static List<LibraryModule> read(Path registry) {
        List<LibraryModule> modules = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (JsonNode entry : entries(registry)) {
            LibraryModule module = module(registry, entry);
            if (!names.add(module.name() + "@" + module.version())) {
                throw invalid(registry, module.name() + "@" + module.version() + " occurs twice");
            }
            modules.add(module);
        }
        return List.copyOf(modules);
    }

    private static JsonNode entries(Path registry) {
        try {
            JsonNode json = JSON.readTree(Files.readString(registry));
            if (!json.isArray()) {
                throw invalid(registry, "it must be a JSON list of modules");
            }
            return json;
        } catch (IOException e) {
            throw invalid(registry, "it cannot be read: " + e.getMessage());
        }
    }

    private static LibraryModule module(Path registry, JsonNode entry) {
        String name = entry.path("name").asText();
        String version = entry.path("version").asText();
        String sha256 = entry.path("sha256").asText();
        String file = entry.path("file").asText();
        if (!NAME.matcher(name).matches() || !VERSION.matcher(version).matches()) {
            throw invalid(
                    registry, "'" + name + "' version '" + version + "' is not a module name and semantic version");
        }
        byte[] code = code(registry, name, file);
        String actual = HexFormat.of().formatHex(sha256().digest(code));
        if (!actual.equals(sha256)) {
            throw invalid(
                    registry, "the file of " + name + "@" + version + " has the SHA-256 " + actual + ", not " + sha256);
        }
        return new LibraryModule(name, version, sha256, new String(code, StandardCharsets.UTF_8));
    }

    private static byte[] code(Path registry, String name, String file) {
        Path directory = registry.toAbsolutePath().resolveSibling("").normalize();
        try {
            Path path = directory.resolve(file).normalize();
            if (file.isEmpty() || !path.startsWith(directory) || !Files.isRegularFile(path)) {
                throw invalid(registry, "the file of " + name + " must be a file beside the registry");
            }
            if (Files.size(path) > MAX_FILE_BYTES) {
                throw invalid(registry, "the file of " + name + " is larger than " + MAX_FILE_BYTES + " bytes");
            }
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw invalid(registry, "the file of " + name + " cannot be read: " + e.getMessage());
        }
    }

    private static IllegalArgumentException invalid(Path registry, String what) {
        return new IllegalArgumentException("library modules " + registry + ": " + what);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
