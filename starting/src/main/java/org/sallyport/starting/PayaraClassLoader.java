package org.sallyport.starting;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes and resources of Payara Micro from its jars, in the order of the Java VM. The Java VM looks for
 * each class in one jar after the other, and Payara Micro has 320 of them; a class of the application is looked for in
 * all of them first. An index of the directories in the jars leaves only those that can contain the class: decision
 * 076. Thread-safe.
 */
final class PayaraClassLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    /** The jars with entries in a directory, in the order of the class path. Directories have no slash at the end. */
    private final Map<String, List<PayaraJar>> jarsByDirectory = new HashMap<>();

    private final List<PayaraJar> jars;

    private PayaraClassLoader(List<PayaraJar> jars, ClassLoader parent) {
        super(jars.stream().map(PayaraJar::url).toArray(URL[]::new), parent);
        this.jars = jars;
        for (PayaraJar jar : jars) {
            for (String directory : jar.directories()) {
                jarsByDirectory
                        .computeIfAbsent(directory, any -> new ArrayList<>(1))
                        .add(jar);
            }
        }
    }

    /**
     * Opens a jar and those that the manifests name in {@code Class-Path}. As in the Java VM, they follow directly
     * behind the jar that names them unless they came before, and jars that do not exist are ignored.
     *
     * @param excludedNames file names of jars that are ignored, too: the application has its own version of them
     * @throws IOException if a jar cannot be read
     */
    static PayaraClassLoader open(Path jar, Set<String> excludedNames, ClassLoader parent) throws IOException {
        Map<Path, PayaraJar> opened = new ConcurrentHashMap<>();
        try {
            PayaraJar first = PayaraJar.open(jar);
            opened.put(jar, first);
            // The first jar names almost all of them: nothing else is done at this time, so all processors are free.
            first.classPath().parallelStream()
                    .distinct()
                    .filter(path -> isUsed(path, excludedNames))
                    .forEach(path -> opened.computeIfAbsent(path, PayaraJar::open));
            return new PayaraClassLoader(inOrder(jar, opened, excludedNames), parent);
        } catch (UncheckedIOException | IllegalArgumentException e) {
            for (PayaraJar present : opened.values()) {
                present.file().close();
            }
            throw new IOException("the class path of " + jar + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static boolean isUsed(Path path, Set<String> excludedNames) {
        return !excludedNames.contains(String.valueOf(path.getFileName())) && Files.isRegularFile(path);
    }

    private static List<PayaraJar> inOrder(Path jar, Map<Path, PayaraJar> opened, Set<String> excludedNames) {
        Map<Path, PayaraJar> jars = new LinkedHashMap<>();
        Deque<Path> next = new ArrayDeque<>(List.of(jar));
        while (!next.isEmpty()) {
            Path path = next.pop();
            if (!jars.containsKey(path) && (jars.isEmpty() || isUsed(path, excludedNames))) {
                PayaraJar present = opened.computeIfAbsent(path, PayaraJar::open);
                jars.put(path, present);
                List<Path> named = new ArrayList<>(present.classPath());
                Collections.reverse(named);
                named.forEach(next::push);
            }
        }
        return List.copyOf(jars.values());
    }

    private List<PayaraJar> jarsThatMayContain(String path) {
        String file = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return jarsByDirectory.getOrDefault(PayaraJar.directory(file), List.of());
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
}
