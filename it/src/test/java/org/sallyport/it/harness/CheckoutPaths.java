package org.sallyport.it.harness;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where things are in the checkout under test. */
public final class CheckoutPaths {
    private CheckoutPaths() {}

    /** Its top. */
    public static Path root() {
        return configuredPath("sallyport.it.home", "..");
    }

    /** The directory that the build of {@code web} leaves: all that a server is started from. */
    public static Path serverDirectory() {
        Path directory = configuredPath("sallyport.it.server", "../web/target/server");
        if (!Files.isRegularFile(directory.resolve("sallyport.war"))) {
            throw new AssertionError("there is no sallyport.war in " + directory + ": build the module web first");
        }
        return directory;
    }

    /** The archive for full application servers. */
    public static Path enterpriseArchive() {
        Path archive = configuredPath("sallyport.it.ear", "../ear/target/sallyport.ear");
        if (!Files.isRegularFile(archive)) {
            throw new AssertionError("there is no " + archive + ": build the module ear first");
        }
        return archive;
    }

    /** A full application server, unpacked and never started. */
    static Path payaraDirectory() {
        return configuredPath("sallyport.it.payara", "target/payara/payara6");
    }

    /** What tests leave behind for people to read. */
    static Path logDirectory() {
        return configuredPath("sallyport.it.logs", "target/servers");
    }

    private static Path configuredPath(String property, String otherwise) {
        return Path.of(System.getProperty(property, otherwise)).toAbsolutePath().normalize();
    }
}
