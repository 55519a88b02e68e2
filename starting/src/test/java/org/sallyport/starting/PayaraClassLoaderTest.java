package org.sallyport.starting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PayaraClassLoaderTest {
    private static final ClassLoader JAVA = ClassLoader.getPlatformClassLoader();
    private static final String CLASS = "org.sallyport.starting.StartupResponder";
    private static final String CLASS_FILE = "org/sallyport/starting/StartupResponder.class";

    @TempDir
    Path directory;

    private Path first;

    @BeforeEach
    void writeJars() throws IOException {
        first = directory.resolve("first.jar");
        writeJar(
                first,
                Map.of("Class-Path", "lib/second.jar  lib/absent.jar lib/fourth.jar lib/third%20jar.jar"),
                Map.of("only/first.txt", "first", "META-INF/services/a.Service", "first"));
        writeJar(
                directory.resolve("lib/second.jar"),
                Map.of(
                        "Multi-Release", "true",
                        "Implementation-Title", "second",
                        "Class-Path", "../first.jar third%20jar.jar"),
                Map.of(
                        "META-INF/services/a.Service",
                        "second",
                        CLASS_FILE,
                        classFile(),
                        "data/text of all.txt",
                        "common",
                        "META-INF/versions/11/data/text of all.txt",
                        "eleven",
                        "META-INF/versions/11/later/only.txt",
                        "eleven",
                        "META-INF/versions/1000/later/future.txt",
                        "future",
                        "with/directory/",
                        ""));
        writeJar(
                directory.resolve("lib/third jar.jar"),
                Map.of("Class-Path", "second.jar"),
                Map.of(
                        "META-INF/services/a.Service",
                        "third",
                        CLASS_FILE,
                        classFile(),
                        "data/text of all.txt",
                        "third",
                        "top.txt",
                        "third"));
        writeJar(
                directory.resolve("lib/fourth.jar"),
                Map.of(),
                Map.of("META-INF/services/a.Service", "fourth", "top.txt", "fourth"));
    }

    private static String classFile() throws IOException {
        try (InputStream in = PayaraClassLoaderTest.class.getClassLoader().getResourceAsStream(CLASS_FILE)) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Each character of a content is one byte. */
    private static void writeJar(Path file, Map<String, String> attributes, Map<String, String> entries)
            throws IOException {
        Files.createDirectories(file.resolve("..").normalize());
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            for (Map.Entry<String, String> entry : new TreeMap<>(entries).entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey()));
                jar.write(entry.getValue().getBytes(StandardCharsets.ISO_8859_1));
                jar.closeEntry();
            }
        }
    }

    @Test
    void classesAreThoseOfTheFirstJarThatHasThem() throws Exception {
        try (PayaraClassLoader loader = PayaraClassLoader.open(first, Set.of(), JAVA)) {
            Class<?> loaded = loader.loadClass(CLASS);

            assertThat(loaded.getClassLoader()).isSameAs(loader);
            assertThat(loader.loadClass(CLASS)).isSameAs(loaded);
            assertThat(loaded.getProtectionDomain().getCodeSource().getLocation())
                    .isEqualTo(directory.resolve("lib/second.jar").toUri().toURL());
            assertThat(loaded.getPackage().getImplementationTitle()).isEqualTo("second");
            assertThat(loader.loadClass("java.sql.Date").getClassLoader()).isSameAs(JAVA);
            assertThatExceptionOfType(ClassNotFoundException.class)
                    .isThrownBy(() -> loader.loadClass("org.sallyport.starting.Absent"));
            assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> loader.loadClass("absent.Absent"));
        }
    }

    @Test
    void resourcesAreThoseThatTheJavaVmFinds() throws Exception {
        List<String> names = List.of(
                "META-INF/services/a.Service",
                "META-INF/MANIFEST.MF",
                "META-INF/versions/11/data/text of all.txt",
                "only/first.txt",
                "data/text of all.txt",
                "later/only.txt",
                "later/future.txt",
                "with/directory",
                "with/directory/",
                "with",
                "data",
                "top.txt",
                "absent.txt",
                "absent/absent.txt",
                "",
                CLASS_FILE);
        try (PayaraClassLoader loader = PayaraClassLoader.open(first, Set.of(), JAVA);
                URLClassLoader expected =
                        new URLClassLoader(new URL[] {first.toUri().toURL()}, JAVA)) {
            for (String name : names) {
                List<URL> found = Collections.list(loader.getResources(name));
                assertThat(found).as(name).isEqualTo(Collections.list(expected.getResources(name)));
                assertThat(loader.getResource(name)).as(name).isEqualTo(expected.getResource(name));
                for (URL url : found) {
                    assertThat(content(url)).as(url.toString()).isNotNull();
                }
            }
            assertThat(content(loader.getResource("data/text of all.txt"))).isEqualTo("eleven");
        }
    }

    private static String content(URL url) throws IOException {
        try (InputStream in = url.openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void urlsAreThoseOfTheJarsThatExist() throws Exception {
        try (PayaraClassLoader loader = PayaraClassLoader.open(first, Set.of(), JAVA)) {
            assertThat(loader.getURLs())
                    .extracting(URL::getPath)
                    .extracting(path -> path.substring(path.lastIndexOf('/') + 1))
                    .containsExactly("first.jar", "second.jar", "third%20jar.jar", "fourth.jar");
        }
    }

    @Test
    void namedJarIsLeftOut() throws Exception {
        try (PayaraClassLoader loader = PayaraClassLoader.open(first, Set.of("second.jar", "fourth.jar"), JAVA)) {
            assertThat(loader.getURLs())
                    .extracting(URL::getPath)
                    .extracting(path -> path.substring(path.lastIndexOf('/') + 1))
                    .containsExactly("first.jar", "third%20jar.jar");
            assertThat(loader.loadClass(CLASS)
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation())
                    .isEqualTo(directory.resolve("lib/third jar.jar").toUri().toURL());
            assertThat(content(loader.getResource("data/text of all.txt"))).isEqualTo("third");
            assertThat(Collections.list(loader.getResources("META-INF/services/a.Service")))
                    .hasSize(2);
        }
    }

    @Test
    void damagedJarThatIsLeftOutIsNotRead() throws Exception {
        Files.writeString(directory.resolve("lib/second.jar"), "no jar");

        try (PayaraClassLoader loader = PayaraClassLoader.open(first, Set.of("second.jar"), JAVA)) {
            assertThat(loader.getURLs()).hasSize(3);
        }
    }

    @Test
    void damagedJarIsReported() throws Exception {
        Files.writeString(directory.resolve("lib/second.jar"), "no jar");

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> PayaraClassLoader.open(first, Set.of(), JAVA))
                .withMessageContaining(first.toString());
    }
}
