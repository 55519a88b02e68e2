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
import org.sallyport.cli.api.ApiJson;

/** Stores the named services of a user with their keys, in a file that other users cannot read. */
final class ProfileStore {
    /** The profile that applies when no other is named. */
    static final String DEFAULT_NAME = "default";

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> GROUP_AND_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private final Optional<Path> file;

    /** A named service. */
    record ServiceProfile(String name, String url, Optional<String> key) {}

    private ProfileStore(Optional<Path> file) {
        this.file = file;
    }

    /** Returns the user's store: {@code sallyport/profiles.json} in the configuration directory of the system. */
    static ProfileStore of(CliEnvironment surroundings) {
        Optional<Path> directory = surroundings
                .variable("XDG_CONFIG_HOME")
                .map(Path::of)
                .or(() -> surroundings.variable("HOME").map(home -> Path.of(home, ".config")));
        return new ProfileStore(directory.map(path -> path.resolve("sallyport").resolve("profiles.json")));
    }

    /** Returns the location of the file, for messages. */
    String location() {
        return file.map(Path::toString).orElse("profiles.json (HOME is not set)");
    }

    /** Returns the profile with that name. Throws {@link CommandException} if there is none. */
    ServiceProfile require(String name) {
        return find(name)
                .orElseThrow(() -> new CommandException(
                        ExitCode.USAGE,
                        "There is no profile '" + name + "' in " + location() + ".",
                        "Create it: sallyport profile set " + name + " --url https://… --key-file FILE"));
    }

    /** Returns the profile with that name, if there is one. */
    Optional<ServiceProfile> find(String name) {
        JsonNode profile = read().path(name);
        if (!profile.isObject()) {
            return Optional.empty();
        }
        Optional<String> key = Optional.of(ApiJson.text(profile, "key")).filter(text -> !text.isEmpty());
        return Optional.of(new ServiceProfile(name, ApiJson.text(profile, "url"), key));
    }

    /** Returns all profiles by name. */
    ObjectNode read() {
        if (file.isEmpty() || !Files.exists(file.get())) {
            return ApiJson.object();
        }
        Path path = file.get();
        requirePrivate(path);
        try {
            if (ApiJson.parse(Files.readString(path)).path("profiles") instanceof ObjectNode profiles) {
                return profiles;
            }
        } catch (JsonProcessingException e) {
            throw unusableFile("is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw unusableFile("cannot be read: " + e.getMessage());
        }
        throw unusableFile("has no object 'profiles'");
    }

    /** Replaces all profiles. */
    void write(ObjectNode profiles) {
        Path path = file.orElseThrow(() -> unusableFile("has no location"));
        try {
            Files.createDirectories(path.getParent());
            Path fresh = Files.createTempFile(path.getParent(), "profiles", ".json", ownerOnlyAttributes(path));
            Files.writeString(fresh, ApiJson.pretty(ApiJson.object().set("profiles", profiles)) + "\n");
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw unusableFile("cannot be written: " + e.getMessage());
        }
    }

    private static FileAttribute<?>[] ownerOnlyAttributes(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
    }

    private void requirePrivate(Path path) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
            if (permissions.stream().anyMatch(GROUP_AND_OTHERS::contains)) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "Other users can access the file of profiles, " + path + ": its mode is "
                                + PosixFilePermissions.toString(permissions) + ".",
                        "It contains keys. Restrict it: chmod 600 " + path);
            }
        } catch (UnsupportedOperationException e) {
            // This system has no POSIX file modes.
            return;
        } catch (IOException e) {
            throw unusableFile("cannot be read: " + e.getMessage());
        }
    }

    private CommandException unusableFile(String reason) {
        return new CommandException(ExitCode.USAGE, "The file of profiles, " + location() + ", " + reason + ".");
    }
}
