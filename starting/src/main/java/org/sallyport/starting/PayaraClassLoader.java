package org.sallyport.starting;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.cert.Certificate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes and resources of Payara Micro from its jars, in the order of the Java VM. The Java VM looks for
 * each class in one jar after the other, and Payara Micro has 320 of them; a class of the application is looked for in
 * all of them first. An index of the directories in the jars leaves only those that can contain the class: decision
 * 076. Thread-safe.
 */
final class PayaraClassLoader extends URLClassLoader {
    private static final String VERSIONS = "META-INF/versions/";

    static {
        registerAsParallelCapable();
    }

    /** The jars with entries in a directory, in the order of the class path. Directories have no slash at the end. */
    private final Map<String, List<PayaraJar>> jarsByDirectory = new HashMap<>();

    private final List<PayaraJar> jars;

    private PayaraClassLoader(List<PayaraJar> jars, ClassLoader parent) {
        super(jars.stream().map(PayaraJar::url).toArray(URL[]::new), parent);
        this.jars = jars;
        jars.forEach(this::index);
    }

    /**
     * Opens a jar and those that the manifests name in {@code Class-Path}. As in the Java VM, they follow directly
     * behind the jar that names them unless they came before, and jars that do not exist are ignored.
     *
     * @throws IOException if a jar cannot be read
     */
    static PayaraClassLoader open(Path jar, ClassLoader parent) throws IOException {
        List<PayaraJar> jars = new ArrayList<>();
        Set<Path> found = new HashSet<>();
        Deque<Path> next = new ArrayDeque<>(List.of(jar));
        try {
            while (!next.isEmpty()) {
                Path path = next.pop();
                if (found.add(path) && (jars.isEmpty() || Files.isRegularFile(path))) {
                    PayaraJar opened = PayaraJar.open(path);
                    jars.add(opened);
                    List<String> named = new ArrayList<>(opened.classPath());
                    Collections.reverse(named);
                    named.forEach(entry -> next.push(Path.of(path.toUri().resolve(entry))));
                }
            }
            return new PayaraClassLoader(jars, parent);
        } catch (IOException | IllegalArgumentException e) {
            for (PayaraJar opened : jars) {
                opened.file().close();
            }
            throw new IOException("the class path of " + jar + " cannot be read: " + e.getMessage(), e);
        }
    }

    private void index(PayaraJar jar) {
        for (Enumeration<JarEntry> entries = jar.file().entries(); entries.hasMoreElements(); ) {
            String name = entries.nextElement().getName();
            index(name, jar);
            if (name.startsWith(VERSIONS)) {
                index(name.substring(name.indexOf('/', VERSIONS.length()) + 1), jar);
            }
        }
    }

    private void index(String path, PayaraJar jar) {
        add(directory(path), jar);
        if (path.endsWith("/")) {
            add(directory(path.substring(0, path.length() - 1)), jar);
        }
    }

    private void add(String directory, PayaraJar jar) {
        List<PayaraJar> present = jarsByDirectory.computeIfAbsent(directory, any -> new ArrayList<>(1));
        if (present.isEmpty() || present.get(present.size() - 1) != jar) {
            present.add(jar);
        }
    }

    private static String directory(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private List<PayaraJar> jarsThatMayContain(String path) {
        String file = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return jarsByDirectory.getOrDefault(directory(file), List.of());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        String path = name.replace('.', '/') + ".class";
        for (PayaraJar jar : jarsThatMayContain(path)) {
            JarEntry entry = jar.file().getJarEntry(path);
            if (entry != null) {
                try {
                    return define(name, jar, entry);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
        throw new ClassNotFoundException(name);
    }

    private Class<?> define(String name, PayaraJar jar, JarEntry entry) throws IOException {
        byte[] content;
        try (InputStream in = jar.file().getInputStream(entry)) {
            content = in.readAllBytes();
        }
        int end = name.lastIndexOf('.');
        if (end > 0) {
            definePackage(name.substring(0, end), jar);
        }
        return defineClass(name, content, 0, content.length, jar.source());
    }

    private void definePackage(String name, PayaraJar jar) {
        if (getDefinedPackage(name) != null) {
            return;
        }
        try {
            definePackage(name, jar.manifest(), jar.url());
        } catch (IllegalArgumentException e) {
            // Another thread has just defined it.
            if (getDefinedPackage(name) == null) {
                throw e;
            }
        }
    }

    @Override
    public @Nullable URL findResource(String name) {
        for (PayaraJar jar : jarsThatMayContain(name)) {
            JarEntry entry = jar.file().getJarEntry(name);
            if (entry != null) {
                return jar.url(name, entry);
            }
        }
        return null;
    }

    @Override
    public Enumeration<URL> findResources(String name) {
        List<URL> found = new ArrayList<>();
        for (PayaraJar jar : jarsThatMayContain(name)) {
            JarEntry entry = jar.file().getJarEntry(name);
            if (entry != null) {
                found.add(jar.url(name, entry));
            }
        }
        return Collections.enumeration(found);
    }

    @Override
    public void close() throws IOException {
        super.close();
        for (PayaraJar jar : jars) {
            jar.file().close();
        }
    }

    /** An open jar. */
    private record PayaraJar(JarFile file, URL url, CodeSource source, Manifest manifest) {
        static PayaraJar open(Path path) throws IOException {
            JarFile file = new JarFile(path.toFile(), true, ZipFile.OPEN_READ, JarFile.runtimeVersion());
            try {
                URL url = path.toUri().toURL();
                Manifest manifest = file.getManifest();
                return new PayaraJar(
                        file,
                        url,
                        new CodeSource(url, (Certificate[]) null),
                        manifest == null ? new Manifest() : manifest);
            } catch (IOException e) {
                file.close();
                throw e;
            }
        }

        List<String> classPath() {
            String value = manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            return value == null || value.isBlank()
                    ? List.of()
                    : List.of(value.trim().split(" +"));
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
}
