package org.sallyport.starting;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.cert.Certificate;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * An open jar of {@link PayaraClassLoader}.
 *
 * @param classPath the jars that the manifest names, which need not exist
 * @param directories the directories with entries in the jar, without a slash at the end
 */
record PayaraJar(
        JarFile file, URL url, CodeSource source, Manifest manifest, List<Path> classPath, Set<String> directories) {
    private static final String VERSIONS = "META-INF/versions/";

    /** Throws {@link UncheckedIOException} if the file cannot be read as a jar. */
    static PayaraJar open(Path path) {
        try {
            JarFile file = new JarFile(path.toFile(), true, ZipFile.OPEN_READ, JarFile.runtimeVersion());
            try {
                return read(path, file);
            } catch (IOException | IllegalArgumentException e) {
                file.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PayaraJar read(Path path, JarFile file) throws IOException {
        URL url = path.toUri().toURL();
        Manifest present = file.getManifest();
        Manifest manifest = present == null ? new Manifest() : present;
        return new PayaraJar(
                file,
                url,
                new CodeSource(url, (Certificate[]) null),
                manifest,
                classPath(path.toUri(), manifest),
                directories(file));
    }

    private static List<Path> classPath(URI jar, Manifest manifest) {
        String value = manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
        return value == null || value.isBlank()
                ? List.of()
                : Stream.of(value.trim().split(" +"))
                        .map(entry -> Path.of(jar.resolve(entry)))
                        .toList();
    }

    private static Set<String> directories(JarFile file) {
        Set<String> directories = new HashSet<>();
        for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
            String name = entries.nextElement().getName();
            addDirectories(name, directories);
            if (name.startsWith(VERSIONS)) {
                addDirectories(name.substring(name.indexOf('/', VERSIONS.length()) + 1), directories);
            }
        }
        return directories;
    }

    private static void addDirectories(String path, Set<String> directories) {
        directories.add(directory(path));
        if (path.endsWith("/")) {
            directories.add(directory(path.substring(0, path.length() - 1)));
        }
    }

    /** Returns the directory of an entry, without a slash at the end. Empty at the top of the jar. */
    static String directory(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    /** Names the entry for this version of Java if the jar has several. */
    URL url(String name, JarEntry entry) {
        String path = "/" + (file.isMultiRelease() ? entry.getRealName() : name);
        try {
            return new URL("jar:" + url + "!" + new URI(null, null, path, null).getRawPath());
        } catch (MalformedURLException | URISyntaxException e) {
            throw new UncheckedIOException(new IOException("no URL for " + path + " of " + url, e));
        }
    }
}
