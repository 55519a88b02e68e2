package org.sallyport.connector.extension;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The bean classes of the jars in a directory. All jars share one class loader, so that a jar may contain a library for
 * the others. Thread-safe.
 */
public final class ExtensionJars implements AutoCloseable {
    private final List<Path> files;
    private final List<ExtensionClass> classes;
    private final List<String> problems;
    private final ExtensionClassLoader loader;

    /**
     * A class with an annotation that makes it a bean.
     *
     * @param jar name of the file that contains it
     */
    public record ExtensionClass(Class<?> type, String jar) {}

    private ExtensionJars(
            List<Path> files, List<ExtensionClass> classes, List<String> problems, ExtensionClassLoader loader) {
        this.files = List.copyOf(files);
        this.classes = List.copyOf(classes);
        this.problems = List.copyOf(problems);
        this.loader = loader;
    }

    /** Returns no jars. */
    public static ExtensionJars none() {
        return new ExtensionJars(List.of(), List.of(), List.of(), new ExtensionClassLoader(new URL[0], noClasses()));
    }

    private static ClassLoader noClasses() {
        return ClassLoader.getPlatformClassLoader();
    }

    /**
     * Reads all files of the directory whose name ends with {@code .jar}, in the order of their names. Initializes no
     * classes. Never throws because of their content; {@link #problems} has the faults.
     *
     * @param service class loader of the shared API
     */
    public static ExtensionJars open(Path directory, ClassLoader service) {
        return open(directory, service, Runtime.version().feature());
    }

    static ExtensionJars open(Path directory, ClassLoader service, int javaVersion) {
        List<String> problems = new ArrayList<>();
        List<Path> files = listJars(directory, problems);
        Map<String, Path> candidates = new LinkedHashMap<>();
        for (Path file : files) {
            ExtensionDirectoryCheck.findProblem(file).ifPresent(problems::add);
            for (String name : ExtensionJarReader.findCandidates(file, javaVersion, problems)) {
                Path other = candidates.putIfAbsent(name, file);
                if (other != null) {
                    problems.add(
                            file + ": " + name + " is also in " + other.getFileName() + "; remove one of the two jars");
                }
            }
        }
        ExtensionClassLoader loader =
                new ExtensionClassLoader(files.stream().map(ExtensionJars::url).toArray(URL[]::new), service);
        List<ExtensionClass> classes = new ArrayList<>();
        if (problems.isEmpty()) {
            candidates.forEach((name, file) -> ExtensionClassLoading.load(name, file, loader, problems)
                    .ifPresent(type -> classes.add(
                            new ExtensionClass(type, file.getFileName().toString()))));
        }
        return new ExtensionJars(files, classes, problems, loader);
    }

    private static List<Path> listJars(Path directory, List<String> problems) {
        if (!Files.isDirectory(directory)) {
            problems.add(directory + ": is not a directory");
            return List.of();
        }
        ExtensionDirectoryCheck.findProblem(directory).ifPresent(problems::add);
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName()
                            .toString()
                            .toLowerCase(Locale.ROOT)
                            .endsWith(".jar"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            problems.add(directory + ": cannot be read: " + e);
            return List.of();
        }
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(file + " has no URL", e);
        }
    }

    /** Returns the jars, in the order of their names. */
    public List<Path> files() {
        return files;
    }

    /** Returns the bean classes; empty if a jar has a fault. */
    public List<ExtensionClass> classes() {
        return problems.isEmpty() ? classes : List.of();
    }

    /** Returns a sentence for each fault of the directory or of a jar, with file, class and what to do. */
    public List<String> problems() {
        return problems;
    }

    /** Closes the jars. Classes that are not loaded yet can then no longer be loaded. */
    @Override
    public void close() throws IOException {
        loader.close();
    }
}
