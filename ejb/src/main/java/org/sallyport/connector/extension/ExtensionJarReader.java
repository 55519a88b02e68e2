package org.sallyport.connector.extension;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Finds the classes of a jar that may be beans, without loading classes. */
final class ExtensionJarReader {
    /** Larger class files are refused. */
    static final int MAX_CLASS_BYTES = 16 << 20;

    private static final String CLASS_SUFFIX = ".class";
    private static final int CLASS_FILE_MAGIC = 0xCAFEBABE;
    private static final int CLASS_FILE_HEADER_BYTES = 8;
    /** Java N writes class files of the version N + 44. */
    private static final int CLASS_FILE_VERSION_OFFSET = 44;

    private static final List<String> BEAN_ANNOTATIONS = List.of(
            "Lorg/sallyport/bean/Backend;",
            "Ljakarta/enterprise/context/ApplicationScoped;",
            "Ljakarta/enterprise/context/ConversationScoped;",
            "Ljakarta/enterprise/context/Dependent;",
            "Ljakarta/enterprise/context/RequestScoped;",
            "Ljakarta/enterprise/context/SessionScoped;",
            "Ljakarta/interceptor/Interceptor;",
            "Ljakarta/decorator/Decorator;");

    private final Path file;
    private final int javaVersion;
    private final List<String> problems;
    private final List<String> names = new ArrayList<>();
    private int tooNew;

    private ExtensionJarReader(Path file, int javaVersion, List<String> problems) {
        this.file = file;
        this.javaVersion = javaVersion;
        this.problems = problems;
    }

    /**
     * Returns the names of the classes that mention an annotation that makes a class a bean.
     *
     * @param javaVersion newest version of Java whose classes can be loaded
     * @param problems receives a sentence for each fault of the jar
     */
    static List<String> findCandidates(Path file, int javaVersion, List<String> problems) {
        ExtensionJarReader reader = new ExtensionJarReader(file, javaVersion, problems);
        reader.read();
        return List.copyOf(reader.names);
    }

    private void read() {
        try (JarFile jar = new JarFile(file.toFile())) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                if (isClass(entry.getName())) {
                    readClass(jar, entry);
                }
            }
        } catch (IOException | SecurityException e) {
            problems.add(file + ": is not a readable jar; copy it again (" + e.getMessage() + ")");
        }
    }

    /** Classes below META-INF are other variants for newer versions of Java. */
    private static boolean isClass(String entry) {
        return entry.endsWith(CLASS_SUFFIX)
                && !entry.startsWith("META-INF/")
                && !entry.endsWith("module-info.class")
                && !entry.endsWith("package-info.class");
    }

    private void readClass(JarFile jar, JarEntry entry) throws IOException {
        byte[] bytes;
        try (InputStream in = jar.getInputStream(entry)) {
            bytes = in.readNBytes(MAX_CLASS_BYTES + 1);
        }
        String name = entry.getName()
                .substring(0, entry.getName().length() - CLASS_SUFFIX.length())
                .replace('/', '.');
        if (bytes.length > MAX_CLASS_BYTES
                || bytes.length < CLASS_FILE_HEADER_BYTES
                || ByteBuffer.wrap(bytes).getInt() != CLASS_FILE_MAGIC) {
            problems.add(file + ": " + name + " is not a class file; build the jar again");
            return;
        }
        int version = Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(6)) - CLASS_FILE_VERSION_OFFSET;
        if (version > javaVersion) {
            addTooNew(name, version);
            return;
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        if (BEAN_ANNOTATIONS.stream().anyMatch(text::contains)) {
            names.add(name);
        }
    }

    /** Reports only the first such class, because all classes of a jar are usually compiled alike. */
    private void addTooNew(String name, int version) {
        tooNew++;
        if (tooNew == 1) {
            problems.add(file + ": " + name + " is compiled for Java " + version + ", and this service runs on Java "
                    + javaVersion + "; compile with --release " + javaVersion);
        }
    }
}
