package org.sallyport.server;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.Extension;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.extension.ExtensionJars;

/**
 * Adds the beans of extension jars to the application. If a jar has a fault, it adds none, and {@link ServerLifecycle}
 * fails the start with all {@link #problems}.
 */
public class ExtensionBeans implements Extension {
    private static final Logger LOG = System.getLogger(ExtensionBeans.class.getName());
    /** Below the data directory. */
    private static final Path DEFAULT_DIRECTORY = Path.of("lib", "ext");

    private ExtensionJars jars = ExtensionJars.none();

    void addBeans(@Observes BeforeBeanDiscovery discovery, BeanManager beans) {
        jars = findDirectory()
                .map(directory -> ExtensionJars.open(directory, ExtensionBeans.class.getClassLoader()))
                .orElseGet(ExtensionJars::none);
        jars.classes()
                .forEach(each -> discovery.addAnnotatedType(
                        beans.createAnnotatedType(each.type()),
                        ExtensionBeans.class.getName() + ":" + each.type().getName()));
        if (!jars.files().isEmpty()) {
            LOG.log(
                    Level.INFO,
                    "extension jars: {0}",
                    jars.files().stream().map(Path::toString).collect(Collectors.joining(", ")));
        }
    }

    void closeJars(@Observes BeforeShutdown shutdown) throws IOException {
        jars.close();
    }

    /** Returns the directory of the jars; empty if there is none. */
    private static Optional<Path> findDirectory() {
        Configuration configuration;
        try {
            configuration = ServerAssembly.readConfiguration();
        } catch (InvalidConfigurationException e) {
            // ServerLifecycle reads it again and fails the start.
            return Optional.empty();
        }
        String set = configuration.get(Settings.EXTENSIONS_DIRECTORY);
        if (!set.isEmpty()) {
            return Optional.of(Path.of(set).toAbsolutePath().normalize());
        }
        return Optional.of(configuration.get(Settings.DATA).resolve(DEFAULT_DIRECTORY))
                .map(directory -> directory.toAbsolutePath().normalize())
                .filter(Files::exists);
    }

    /** Returns the faults of the jars, a sentence for each; empty if there are none. */
    List<String> problems() {
        return jars.problems();
    }

    /** Returns the name of the jar that contains a bean; empty for a bean of the application. */
    Optional<String> jarOf(Class<?> bean) {
        return jars.classes().stream()
                .filter(each -> each.type() == bean)
                .map(ExtensionJars.ExtensionClass::jar)
                .findFirst();
    }
}
