package org.sallyport.connector.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.bean.Backend;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.bean.BackendBean;
import org.sallyport.connector.bean.BeanBackendType;
import org.sallyport.connector.bean.InvalidBeansException;

/** Jars with beans in a directory, and the messages for jars with faults. */
class ExtensionJarsTest {
    private static final int JAVA_17 = 17;
    private static final String TOOL = "@Tool(\"Adds one.\") public int add(int to) { return to + 1; }";

    @TempDir
    Path work;

    private Path directory;
    private TestJarBuilder builder;
    private ExtensionJars jars = ExtensionJars.none();

    @BeforeEach
    void createDirectory() throws IOException {
        directory = Files.createDirectory(
                work.resolve("ext"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        builder = new TestJarBuilder(Files.createDirectory(work.resolve("build")));
    }

    @AfterEach
    void close() throws IOException {
        jars.close();
    }

    private ExtensionJars open() {
        jars = ExtensionJars.open(directory, ExtensionJarsTest.class.getClassLoader(), JAVA_17);
        return jars;
    }

    private Path jar(String name, Map<String, byte[]> entries) throws IOException {
        Path file = TestJarBuilder.jar(directory.resolve(name), entries);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        return file;
    }

    private Path jarOf(String name, String... sources) throws IOException {
        return jar(name, builder.compile(sources));
    }

    private static String backend(String name, String body) {
        return "@ApplicationScoped @Backend(\"" + name.toLowerCase(java.util.Locale.ROOT) + "\") public class " + name
                + " {" + body + "}";
    }

    @Test
    void beansOfAllJarsAreFound() throws IOException {
        jarOf("b.jar", backend("Second", TOOL));
        jarOf("a.jar", backend("First", TOOL), "@ApplicationScoped public class Helper {}", "public class Plain {}");
        Files.writeString(directory.resolve("notes.txt"), "no jar");
        Files.writeString(directory.resolve("c.jar.part"), "no jar yet");

        assertThat(open().problems()).isEmpty();
        assertThat(jars.classes())
                .extracting(each -> each.jar() + " " + each.type().getSimpleName())
                .containsExactlyInAnyOrder("a.jar First", "a.jar Helper", "b.jar Second");
        assertThat(jars.classes()).anyMatch(each -> each.type().isAnnotationPresent(Backend.class));
    }

    @Test
    void emptyDirectoryHasNoBeans() {
        assertThat(open().problems()).isEmpty();
        assertThat(jars.classes()).isEmpty();
        assertThat(jars.files()).isEmpty();
    }

    @Test
    void missingDirectoryIsAProblem() {
        jars = ExtensionJars.open(work.resolve("none"), ExtensionJarsTest.class.getClassLoader());
        assertThat(jars.problems()).containsExactly(work.resolve("none") + ": is not a directory");
    }

    /** A jar may contain another version of a library of the service. */
    @Test
    void classesOfTheServiceAreHidden() throws Exception {
        jarOf("a.jar", backend("First", TOOL));
        ClassLoader loader = open().classes().get(0).type().getClassLoader();

        assertThat(loader.loadClass(Backend.class.getName())).isSameAs(Backend.class);
        assertThat(loader.loadClass("jakarta.inject.Inject")).isSameAs(jakarta.inject.Inject.class);
        assertThat(loader.loadClass("java.sql.Connection")).isSameAs(java.sql.Connection.class);
        for (Class<?> hidden : List.of(BackendRegistry.class, JsonNode.class, ExtensionJars.class)) {
            assertThatThrownBy(() -> loader.loadClass(hidden.getName())).isInstanceOf(ClassNotFoundException.class);
        }
    }

    @Test
    void fileThatIsNoJarIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("a.jar"), "half a jar");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        jarOf("b.jar", backend("First", TOOL));

        assertThat(open().problems())
                .singleElement()
                .asString()
                .startsWith(file + ": is not a readable jar; copy it again");
        assertThat(jars.classes()).isEmpty();
    }

    @Test
    void damagedClassIsNamed() throws IOException {
        Path file = jar("a.jar", Map.of("com/example/Broken.class", new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
        assertThat(open().problems())
                .containsExactly(file + ": com.example.Broken is not a class file; build the jar again");
    }

    @Test
    void classThatCannotBeLinkedIsNamed() throws IOException {
        Map<String, byte[]> classes = builder.compile(backend("First", TOOL));
        byte[] whole = Objects.requireNonNull(classes.get("com/example/First.class"));
        classes.put("com/example/First.class", Arrays.copyOf(whole, whole.length - 10));
        Path file = jar("a.jar", classes);
        assertThat(open().problems())
                .singleElement()
                .asString()
                .startsWith(file + ": com.example.First: cannot be loaded (")
                .endsWith("build the jar again");
    }

    @Test
    void newerClassFilesAreNamedOnceWithTheVersionToUse() throws IOException {
        Map<String, byte[]> classes = builder.compile(backend("First", TOOL), "public class Plain {}");
        classes.values().forEach(bytes -> bytes[7] = 44 + 21);
        Path file = jar("a.jar", classes);

        assertThat(open().problems())
                .singleElement()
                .asString()
                .startsWith(file + ": com.example.")
                .endsWith(" is compiled for Java 21, and this service runs on Java 17; compile with --release 17");
    }

    @Test
    void variantsForNewerJavaAreIgnored() throws IOException {
        Map<String, byte[]> classes = new LinkedHashMap<>(builder.compile(backend("First", TOOL)));
        byte[] newer =
                Objects.requireNonNull(classes.get("com/example/First.class")).clone();
        newer[7] = 44 + 21;
        classes.put("META-INF/versions/21/com/example/First.class", newer);
        jar("a.jar", classes);

        assertThat(open().problems()).isEmpty();
    }

    @Test
    void missingClassOfASignatureIsNamed() throws IOException {
        Map<String, byte[]> classes = builder.compile(
                backend("First", "@Tool(\"x\") public Other get() { return null; }"), "public record Other(int x) {}");
        Map<String, byte[]> library = new LinkedHashMap<>();
        library.put("com/example/Other.class", classes.remove("com/example/Other.class"));
        Path file = jar("a.jar", classes);

        assertThat(open().problems())
                .containsExactly(file + ": com.example.First: needs the class com.example.Other, which is in no jar of "
                        + directory + " and not part of the API; put the jar of this class into the directory");
        jars.close();

        jar("library.jar", library);
        assertThat(open().problems()).isEmpty();
    }

    @Test
    void sameClassInTwoJarsIsAProblem() throws IOException {
        jarOf("a-1.0.jar", backend("First", TOOL));
        Path second = jarOf("a-1.1.jar", backend("First", TOOL));

        assertThat(open().problems())
                .containsExactly(second + ": com.example.First is also in a-1.0.jar; remove one of the two jars");
    }

    @Test
    void classThatCannotBeABeanIsNamed() throws IOException {
        Path file = jarOf(
                "a.jar",
                "@Backend(\"a\") public class Unscoped { " + TOOL + "}",
                "@ApplicationScoped @Backend(\"b\") public final class Fixed { " + TOOL + "}",
                "@ApplicationScoped @Backend(\"c\") public class Built { public Built(int x) {} " + TOOL + "}");

        assertThat(open().problems())
                .containsExactlyInAnyOrder(
                        file + ": com.example.Unscoped: a bean with @Backend must be @ApplicationScoped",
                        file + ": com.example.Fixed: the class of a bean must not be final, abstract or an inner class",
                        file + ": com.example.Built: needs a constructor without parameters that is not private,"
                                + " because the container makes a proxy of the bean");
    }

    @Test
    void filesThatOthersMayWriteAreRefused() throws IOException {
        Path file = jarOf("a.jar", backend("First", TOOL));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
        assertThat(open().problems())
                .containsExactly(file + ": other users than its owner may write to it, and the service would run their"
                        + " code; remove the permission: chmod go-w '" + file + "'");
        jars.close();

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xrwx"));
        assertThat(open().problems()).singleElement().asString().startsWith(directory + ": other users");
        assertThat(jars.classes()).isEmpty();
    }

    /** The faults that only a whole bean shows name the jar, too. */
    @Test
    void invalidBeansNameTheirJar() throws IOException {
        Path library = jarOf("library.jar", backend("Several", TOOL));
        Files.move(library, directory.resolve("a.jar"));
        jarOf(
                "b.jar",
                "@ApplicationScoped @Backend(\"several\") public class Other { " + TOOL + "}",
                backend("Dates", "@Tool(\"x\") public void at(java.util.Date when) {}"),
                backend("Taken", TOOL));

        List<BackendBean> beans = open().classes().stream()
                .map(each -> new BackendBean(each.type(), Optional.of(each.jar()), () -> {
                    throw new AssertionError("created");
                }))
                .toList();
        assertThat(jars.problems()).isEmpty();
        assertThatThrownBy(() -> new BeanBackendType(beans, Set.of("taken"), ForkJoinPool.commonPool()))
                .isInstanceOf(InvalidBeansException.class)
                .message()
                .contains(
                        "b.jar: com.example.Other: a backend 'several' already exists: a.jar: com.example.Several; "
                                + "rename or remove one of them",
                        "b.jar: com.example.Dates.at: when has the type java.util.Date; known are text",
                        "b.jar: com.example.Taken: a backend 'taken' already exists: the application itself");
    }
}
