package org.sallyport.connector.extension;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of extension jars. They see each other, Java, and the packages of {@link #SHARED_PACKAGES}. They do
 * not see other classes of the service or of the server, so that a jar may contain other versions of their libraries.
 * The classes of shared packages always come from the service, even if a jar contains them too.
 *
 * <p>Its parent is the class loader of the service, although only shared classes are loaded there: Payara defines the
 * proxy of a bean in the class loader of the bean only if that has the application's class loader as an ancestor.
 */
final class ExtensionClassLoader extends URLClassLoader {
    /** The last one is for the proxies that the container generates. */
    private static final List<String> SHARED_PACKAGES = List.of(
            "org.sallyport.bean.",
            "jakarta.",
            "org.eclipse.microprofile.",
            "org.jspecify.annotations.",
            "org.jboss.weld.");

    private static final ClassLoader JAVA = ClassLoader.getPlatformClassLoader();

    static {
        registerAsParallelCapable();
    }

    private final ClassLoader service;

    ExtensionClassLoader(URL[] jars, ClassLoader service) {
        super("sallyport-extensions", jars, service);
        this.service = service;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (SHARED_PACKAGES.stream().anyMatch(name::startsWith)) {
            return service.loadClass(name);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? loadUnshared(name) : loaded;
        }
    }

    private Class<?> loadUnshared(String name) throws ClassNotFoundException {
        try {
            return JAVA.loadClass(name);
        } catch (ClassNotFoundException e) {
            return findClass(name);
        }
    }

    @Override
    public @Nullable URL getResource(String name) {
        URL ofJava = JAVA.getResource(name);
        return ofJava == null ? findResource(name) : ofJava;
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> all = new ArrayList<>(Collections.list(JAVA.getResources(name)));
        all.addAll(Collections.list(findResources(name)));
        return Collections.enumeration(all);
    }
}
