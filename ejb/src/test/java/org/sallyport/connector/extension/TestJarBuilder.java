package org.sallyport.connector.extension;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles Java sources, and packs their classes into jars. */
final class TestJarBuilder {
    private final Path work;

    /** @param work an empty directory */
    TestJarBuilder(Path work) {
        this.work = work;
    }

    /**
     * Compiles classes, which see each other.
     *
     * @param sources each the text of a top-level type of the package {@code com.example}, without imports
     * @return class files by the names of their entries
     */
    Map<String, byte[]> compile(String... sources) throws IOException {
        Path from = Files.createTempDirectory(work, "src");
        Path to = Files.createTempDirectory(work, "classes");
        List<Path> files = new ArrayList<>();
        for (String source : sources) {
            String name = source.replaceFirst("(?s).*?(?:class|record|interface) (\\w+).*", "$1");
            files.add(Files.writeString(
                    from.resolve(name + ".java"),
                    "package com.example; import jakarta.enterprise.context.*; import org.sallyport.bean.*; "
                            + source));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            errors,
                            manager,
                            null,
                            List.of(
                                    "-parameters",
                                    "-proc:none",
                                    "--release",
                                    "17",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    "-d",
                                    to.toString()),
                            null,
                            manager.getJavaFileObjectsFromPaths(files))
                    .call();
            assertThat(compiled).as(errors.toString()).isTrue();
        }
        Map<String, byte[]> classes = new LinkedHashMap<>();
        try (Stream<Path> written = Files.walk(to)) {
            written.filter(Files::isRegularFile)
                    .forEach(file -> classes.put(to.relativize(file).toString(), read(file)));
        }
        return classes;
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path jar(Path file, Map<String, byte[]> entries) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey()));
                jar.write(entry.getValue());
            }
        }
        return file;
    }
}
