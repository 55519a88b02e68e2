package org.sallyport.it.harness;

import java.nio.file.Files;
import java.nio.file.Path;

/** Paths in the checkout under test. */
public final class CheckoutPaths {
    private CheckoutPaths() {}

    /** The top directory of the checkout. */
    public static Path root() {
        return configuredPath("sallyport.it.home", "..");
    }

    /** The directory that the build of {@code web} creates, with all files from which a server starts. */
    public static Path serverDirectory() {
        Path directory = configuredPath("sallyport.it.server", "../web/target/server");
        if (!Files.isRegularFile(directory.resolve("sallyport.war"))) {
            throw new AssertionError("there is no sallyport.war in " + directory + ": build the module web first");
        }
        return directory;
    }

    /** The enterprise archive. */
    public static Path enterpriseArchive() {
        Path archive = configuredPath("sallyport.it.ear", "../ear/target/sallyport.ear");
        if (!Files.isRegularFile(archive)) {
            throw new AssertionError("there is no " + archive + ": build the module ear first");
        }
        return archive;
    }

    /** The jar of the example connector in Java. */
    public static Path connectorJar() {
        Path jar = configuredPath("sallyport.it.connector", "../examples/java-connector/target/freight-connector.jar");
        if (!Files.isRegularFile(jar)) {
            throw new AssertionError("there is no " + jar + ": build the module examples/java-connector first");
        }
        return jar;
    }

    /** An unpacked Payara Server that was never started. */
    static Path payaraDirectory() {
        return configuredPath("sallyport.it.payara", "target/payara/payara6");
    }

    /** Directory for logs that people read after the tests. */
    static Path logDirectory() {
        return configuredPath("sallyport.it.logs", "target/servers");
    }

    private static Path configuredPath(String property, String otherwise) {
        return Path.of(System.getProperty(property, otherwise)).toAbsolutePath().normalize();
    }
}
