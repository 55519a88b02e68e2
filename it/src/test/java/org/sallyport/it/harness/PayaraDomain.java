package org.sallyport.it.harness;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A Payara Server with a domain of its own that listens only on the loopback address. It ends with this JVM at the
 * latest.
 */
public final class PayaraDomain implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(240);
    private static final String DOMAIN_NAME = "sallyport-it";
    /** Offsets of the ports that the server derives from its first port. */
    private static final List<Integer> PORT_OFFSETS = List.of(37, 38, 39, 48, 49, 59, 76, 80, 81, 86);

    private static final int HTTP_PORT_OFFSET = 80;
    private static final int ADMIN_PORT_OFFSET = 48;

    private final Path directory = ServerSetup.temporaryDirectory();
    private final int portBase = freePortBase();
    private final Path log = CheckoutPaths.logDirectory().resolve("payara-" + portBase + ".log");
    private @Nullable Process process;

    private PayaraDomain() {}

    /** Starts a domain without applications. The data directory of the service contains the example connector. */
    public static PayaraDomain start() {
        PayaraDomain domain = new PayaraDomain();
        domain.runAdminCommand(
                "create-domain",
                "--nopassword",
                "--portbase",
                Integer.toString(domain.portBase),
                "--domaindir",
                domain.directory.toString(),
                DOMAIN_NAME);
        domain.configure();
        ExampleConnector.copyTo(domain.dataDirectory().resolve("lib/ext"));
        domain.startProcess();
        return domain;
    }

    /** Deploys an archive under a name. */
    public void deploy(String name, Path archive) {
        runAdminCommand(
                "--host",
                "127.0.0.1",
                "--port",
                Integer.toString(portBase + ADMIN_PORT_OFFSET),
                "deploy",
                "--name",
                name,
                archive.toString());
    }

    /** A client with the admin key of the deployed application. */
    public RestClient api() {
        URI url = URI.create("http://127.0.0.1:" + (portBase + HTTP_PORT_OFFSET));
        try {
            return new RestClient(
                    url,
                    Optional.of(Files.readString(dataDirectory().resolve("admin.key"))
                            .strip()));
        } catch (IOException e) {
            throw new AssertionError("the application wrote no key; the log " + log + " ends with\n" + logTail(), e);
        }
    }

    private Path dataDirectory() {
        return directory.resolve("data");
    }

    /** Must run before the first start, because the default configuration listens on every address. */
    private void configure() {
        Path file = directory.resolve(DOMAIN_NAME).resolve("config").resolve("domain.xml");
        try {
            String xml = Files.readString(file);
            Files.writeString(file, addSettings(bindToLoopback(xml)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String bindToLoopback(String xml) {
        return xml.replace("address=\"0.0.0.0\"", "address=\"127.0.0.1\"")
                .replace("<network-listener port=", "<network-listener address=\"127.0.0.1\" port=")
                .replace(
                        "<hazelcast-config-specific-configuration>",
                        "<hazelcast-config-specific-configuration enabled=\"false\">")
                .replace("<jmx-connector ", "<jmx-connector enabled=\"false\" ")
                .replace(
                        "<iiop-listener security-enabled=\"true\"",
                        "<iiop-listener enabled=\"false\" security-enabled=\"true\"");
    }

    /**
     * Adds the settings that the documentation requires, and disables the server's own broker, which would open a port.
     */
    private String addSettings(String xml) {
        String application = property("sallyport.jms.listener-adapter", "sallyport#artemis")
                + property("sallyport.jms.factory-adapter", "#artemis")
                + property("sallyport.data", dataDirectory().toString());
        String server = "<mdb-container max-pool-size=\"256\"/>"
                + "<jms-service type=\"REMOTE\" default-jms-host=\"default_JMS_host\">"
                + "<jms-host port=\"${JMS_PROVIDER_PORT}\" host=\"localhost\" name=\"default_JMS_host\"/>"
                + "</jms-service>";
        return xml.replaceFirst(
                        "</java-config>",
                        "<jvm-options>" + ServerSetup.QUICK_START_OPTION + "</jvm-options></java-config>")
                .replaceFirst("</server>", java.util.regex.Matcher.quoteReplacement(application + "</server>"))
                .replaceFirst(
                        "(<config name=\"server-config\"[^>]*>)",
                        "$1" + java.util.regex.Matcher.quoteReplacement(server));
    }

    private static String property(String name, String value) {
        return "<system-property name=\"" + name + "\" value=\"" + value + "\"/>";
    }

    private void startProcess() {
        Process begun = launch(log, "start-domain", "--verbose", "--domaindir", directory.toString(), DOMAIN_NAME);
        process = begun;
        Await.until("Payara Server is up, see " + log, START_TIMEOUT, () -> {
            if (!begun.isAlive()) {
                throw new AssertionError("Payara Server has ended:\n" + logTail());
            }
            return logText().contains("startup time :");
        });
    }

    /** Runs an administration command of the server. Throws {@link AssertionError} with the output if it fails. */
    private void runAdminCommand(String... arguments) {
        Path said = directory.resolve("asadmin.txt");
        Process command = launch(said, arguments);
        try {
            if (!command.waitFor(COMMAND_TIMEOUT.toSeconds(), TimeUnit.SECONDS) || command.exitValue() != 0) {
                throw new AssertionError(String.join(" ", arguments) + ": " + Files.readString(said)
                        + "\nThe log of the server ends with\n" + logTail());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private static Process launch(Path output, String... arguments) {
        Path java = Path.of(System.getProperty("java.home"));
        List<String> command = new ArrayList<>(List.of(
                java.resolve("bin").resolve("java").toString(),
                ServerSetup.QUICK_START_OPTION,
                "-jar",
                CheckoutPaths.payaraDirectory()
                        .resolve("glassfish/lib/client/appserver-cli.jar")
                        .toString()));
        command.addAll(List.of(arguments));
        try {
            Files.createDirectories(output.getParent());
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().keySet().removeIf(name -> name.startsWith("SALLYPORT_"));
            builder.environment().put("AS_JAVA", java.toString());
            builder.environment().put("JAVA_HOME", java.toString());
            Process process = builder.redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(output.toFile())
                    .start();
            RunningServerRegistry.add(process);
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String logText() {
        try {
            return Files.exists(log) ? new String(Files.readAllBytes(log), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String logTail() {
        List<String> lines = logText().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 80), lines.size()));
    }

    /** Ends the server with all processes that it started and deletes its data. The log remains. */
    @Override
    public void close() {
        Process running = process;
        if (running != null) {
            List<ProcessHandle> below = running.descendants().toList();
            try {
                runAdminCommand("stop-domain", "--domaindir", directory.toString(), DOMAIN_NAME);
            } finally {
                below.forEach(ProcessHandle::destroyForcibly);
                running.destroyForcibly();
            }
        }
        DirectoryCleanup.delete(directory);
    }

    private static int freePortBase() {
        return IntStream.generate(
                        () -> 20_000 + 100 * ThreadLocalRandom.current().nextInt(120))
                .limit(50)
                .filter(base -> PORT_OFFSETS.stream().allMatch(offset -> isFree(base + offset)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there are no free ports for a server"));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
