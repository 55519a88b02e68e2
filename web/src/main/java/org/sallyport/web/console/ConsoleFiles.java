package org.sallyport.web.console;

import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.web.Sha256Hash;

/**
 * All files of the console, read once. The address of every file except the page contains the {@link #edition} of all
 * files, so that a browser may cache a file forever and never mixes editions after an upgrade. Immutable.
 */
final class ConsoleFiles {
    private static final String ROOT = "/console/";
    private static final String PAGE = "index.html";
    private static final int EDITION_LENGTH = 16;

    private final Map<String, ConsoleFile> files;
    private final String edition;
    private final ConsoleFile page;

    private ConsoleFiles(SortedMap<String, byte[]> read) {
        String hashes = read.entrySet().stream()
                .map(file -> file.getKey() + " " + Sha256Hash.of(file.getValue()))
                .collect(Collectors.joining("\n"));
        edition = Sha256Hash.of(hashes).substring(0, EDITION_LENGTH);
        files = read.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, file -> ConsoleFile.of(file.getKey(), file.getValue())));
        String template = new String(read.getOrDefault(PAGE, new byte[0]), StandardCharsets.UTF_8);
        page = ConsoleFile.of(PAGE, template.replace("{edition}", edition).getBytes(StandardCharsets.UTF_8));
    }

    static ConsoleFiles read(ServletContext context) {
        SortedMap<String, byte[]> read = new TreeMap<>();
        collect(context, ROOT, read);
        return new ConsoleFiles(read);
    }

    /** Files by their names below the console's root. */
    static ConsoleFiles of(Map<String, byte[]> files) {
        return new ConsoleFiles(new TreeMap<>(files));
    }

    private static void collect(ServletContext context, String directory, Map<String, byte[]> read) {
        @Nullable Set<String> paths = context.getResourcePaths(directory);
        if (paths == null) {
            return;
        }
        for (String path : paths) {
            if (path.endsWith("/")) {
                collect(context, path, read);
                continue;
            }
            try (@Nullable InputStream in = context.getResourceAsStream(path)) {
                if (in != null) {
                    read.put(path.substring(ROOT.length()), in.readAllBytes());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A value that changes when any file changes. */
    String edition() {
        return edition;
    }

    /** The page. */
    ConsoleFile page() {
        return page;
    }

    Optional<ConsoleFile> find(String name) {
        return Optional.ofNullable(files.get(name));
    }
}
