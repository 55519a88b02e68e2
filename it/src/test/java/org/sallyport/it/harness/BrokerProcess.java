package org.sallyport.it.harness;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;
import org.sallyport.testsupport.CertificateFiles;
import org.sallyport.testsupport.TestCertificate;

/**
 * A message broker in a process of its own, built from the libraries in the resource adapter's archive. A test may kill
 * it and start it again on the same data and port. It ends with this JVM at the latest.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(120);
    private static final String USER = "sallyport";
    /** Password of the broker's account. */
    public static final String PASSWORD = "only for this test";

    private final Path directory = ServerSetup.temporaryDirectory();
    private final int port = ServerSetup.freePort();
    private final Path log = CheckoutPaths.logDirectory().resolve("broker-" + port + ".log");
    private @Nullable Process process;

    private final String protocols;

    private BrokerProcess(String protocols) {
        this.protocols = protocols;
    }

    /** Starts an empty broker on a free port. Returns when it listens. */
    public static BrokerProcess start() {
        return start(new BrokerProcess("CORE"), "");
    }

    /** Like {@link #start()}, but also accepts the connector of {@code backend} over AMQP. */
    public static BrokerProcess startForConnector(String backend, String password) {
        return start(new BrokerProcess("CORE,AMQP"), backend + "=" + password);
    }

    /**
     * Like {@link #start()}, but accepts only TLS connections from clients with a certificate of an authority in the
     * PKCS #12 file {@code callers}. The broker reads the files when its process starts.
     */
    public static BrokerProcess startWithTls(CertificateFiles own, Path callers) {
        return start(
                new BrokerProcess("CORE;sslEnabled=true;keyStoreType=PKCS12;keyStorePath=" + own.store()
                        + ";keyStorePassword=" + TestCertificate.PASSWORD + ";needClientAuth=true;trustStoreType=PKCS12"
                        + ";trustStorePath=" + callers + ";trustStorePassword=" + TestCertificate.PASSWORD),
                "");
    }

    private static BrokerProcess start(BrokerProcess broker, String connectors) {
        try {
            Files.writeString(broker.connectorPasswordFile(), connectors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        unpack(CheckoutPaths.serverDirectory().resolve("artemis.rar"), broker.libraries());
        broker.startProcess();
        return broker;
    }

    /** Host and port on which it listens. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    private Path connectorPasswordFile() {
        return directory.resolve("connectors.properties");
    }

    /** The port on which it listens. */
    public int port() {
        return port;
    }

    /** Configures a server to use this broker. */
    public ServerSetup configure(ServerSetup server) {
        return configure(server, port);
    }

    /**
     * Configures a server to use this broker through a proxy.
     *
     * @param proxyPort port of the proxy on this host
     */
    public ServerSetup configure(ServerSetup server, int proxyPort) {
        return server.with("sallyport.broker.url", "tcp://127.0.0.1:" + proxyPort)
                .with("sallyport.broker.user", USER)
                .with("sallyport.broker.password", PASSWORD);
    }

    /** Starts the process again with the same data and port. Returns when it listens. */
    public void startProcess() {
        try {
            Files.createDirectories(log.getParent());
            Files.deleteIfExists(log);
            ProcessBuilder builder = new ProcessBuilder(command());
            builder.environment().keySet().removeIf(name -> name.startsWith("SALLYPORT_"));
            Process begun = builder.directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(log.toFile())
                    .start();
            RunningServerRegistry.add(begun);
            process = begun;
            Await.until("the broker is ready, see " + log, START_TIMEOUT, () -> isReady(begun));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Compiles and runs a program from its source with the broker's libraries, and waits until it ends.
     *
     * @param arguments follow URL, user and password of this broker
     * @return the output of the program; {@link AssertionError} with the output if the program fails
     */
    public String runProgram(String source, String... arguments) {
        try {
            Path file = Files.writeString(directory.resolve("Program.java"), source);
            List<String> command = new java.util.ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    libraries() + File.separator + "*",
                    file.toString(),
                    "tcp://127.0.0.1:" + port,
                    USER,
                    PASSWORD));
            command.addAll(List.of(arguments));
            Process program =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            RunningServerRegistry.add(program);
            String printed = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (program.waitFor() != 0) {
                throw new AssertionError(printed);
            }
            return printed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                ServerSetup.QUICK_START_OPTION,
                "-XX:+UseSerialGC",
                "-Dsallyport.broker.data=" + directory.resolve("data"),
                "-Dsallyport.broker.user=" + USER,
                "-Dsallyport.broker.password=" + PASSWORD,
                "-Dsallyport.broker.acceptor=tcp://127.0.0.1:" + port + "?protocols=" + protocols,
                "-Dsallyport.broker.connectors=" + connectorPasswordFile(),
                "-cp",
                libraries() + File.separator + "*",
                "org.sallyport.broker.ExternalBroker");
    }

    private boolean isReady(Process begun) {
        try {
            if (!begun.isAlive()) {
                throw new AssertionError("the broker has ended: " + Files.readString(log));
            }
            return Files.readString(log, StandardCharsets.UTF_8).contains("broker ready");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process (SIGKILL). Returns when it is gone. */
    public void kill() {
        Process running = Optional.ofNullable(process).orElseThrow();
        running.destroyForcibly();
        try {
            if (!running.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("the broker does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Suspends the process (SIGSTOP) until {@link #resume}. */
    public void pause() {
        ProcessInspector.pause(Optional.ofNullable(process).orElseThrow().pid());
    }

    /** Resumes the suspended process. */
    public void resume() {
        ProcessInspector.resume(Optional.ofNullable(process).orElseThrow().pid());
    }

    /** Deletes all data of the dead broker. */
    public void deleteData() {
        DirectoryCleanup.delete(directory.resolve("data"));
    }

    /** Kills the process and deletes its data. The log remains. */
    @Override
    public void close() {
        kill();
        DirectoryCleanup.delete(directory);
    }

    private Path libraries() {
        return directory.resolve("lib");
    }

    private static void unpack(Path archive, Path target) {
        try (InputStream stream = Files.newInputStream(archive);
                ZipInputStream zip = new ZipInputStream(stream)) {
            Files.createDirectories(target);
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (entry.getName().endsWith(".jar")) {
                    Files.copy(zip, target.resolve(Path.of(entry.getName()).getFileName()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
