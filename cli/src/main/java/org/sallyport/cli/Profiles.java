package org.sallyport.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.sallyport.cli.api.Json;

/** The services that a user gave names to, with their keys, in a file that nobody else may read. */
final class Profiles {
    /** The profile that holds where nothing else is said. */
    static final String DEFAULT = "default";

    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private final Optional<Path> file;

    /** One service by its name. */
    record Profile(String name, String url, Optional<String> key) {}

    private Profiles(Optional<Path> file) {
        this.file = file;
    }

    /** Those of the user: {@code sallyport/profiles.json} where the system keeps configuration. */
    static Profiles of(Surroundings surroundings) {
        Optional<Path> directory = surroundings
                .variable("XDG_CONFIG_HOME")
                .map(Path::of)
                .or(() -> surroundings.variable("HOME").map(home -> Path.of(home, ".config")));
        return new Profiles(directory.map(path -> path.resolve("sallyport").resolve("profiles.json")));
    }

    /** Where they are kept, for messages. */
    String place() {
        return file.map(Path::toString).orElse("a file below HOME, which is not set");
    }

    /** The profile of that name; {@link CommandFailure} if there is none. */
    Profile named(String name) {
        return find(name)
                .orElseThrow(() -> new CommandFailure(
                        Exit.USAGE,
                        "There is no profile '" + name + "' in " + place() + ".",
                        "Make it: sallyport profile set " + name + " --url https://… --key-file FILE"));
    }

    /** The profile of that name, if there is one. */
    Optional<Profile> find(String name) {
        JsonNode profile = read().path(name);
        if (!profile.isObject()) {
            return Optional.empty();
        }
        Optional<String> key = Optional.of(Json.text(profile, "key")).filter(text -> !text.isEmpty());
        return Optional.of(new Profile(name, Json.text(profile, "url"), key));
    }

    /** All of them, by their names. */
    ObjectNode read() {
        if (file.isEmpty() || !Files.exists(file.get())) {
            return Json.object();
        }
        Path path = file.get();
        requirePrivate(path);
        try {
            if (Json.parse(Files.readString(path)).path("profiles") instanceof ObjectNode profiles) {
                return profiles;
            }
        } catch (JsonProcessingException e) {
            throw unusable("is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw unusable("cannot be read: " + e.getMessage());
        }
        throw unusable("has no object 'profiles'");
    }

    /** Keeps these instead. */
    void write(ObjectNode profiles) {
        Path path = file.orElseThrow(() -> unusable("has no place"));
        try {
            Files.createDirectories(path.getParent());
            Path fresh = Files.createTempFile(path.getParent(), "profiles", ".json", forOwner(path));
            Files.writeString(fresh, Json.pretty(Json.object().set("profiles", profiles)) + "\n");
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw unusable("cannot be written: " + e.getMessage());
        }
    }

    private static FileAttribute<?>[] forOwner(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER)}
                : new FileAttribute<?>[0];
    }

    private void requirePrivate(Path path) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
            if (permissions.stream().anyMatch(OF_OTHERS::contains)) {
                throw new CommandFailure(
                        Exit.USAGE,
                        "The profiles in " + path + " are open to others: its mode is "
                                + PosixFilePermissions.toString(permissions) + ".",
                        "It holds keys. Close it: chmod 600 " + path);
            }
        } catch (UnsupportedOperationException e) {
            // This system has no such modes.
            return;
        } catch (IOException e) {
            throw unusable("cannot be read: " + e.getMessage());
        }
    }

    private CommandFailure unusable(String reason) {
        return new CommandFailure(Exit.USAGE, "The file of profiles, " + place() + ", " + reason + ".");
    }
}
