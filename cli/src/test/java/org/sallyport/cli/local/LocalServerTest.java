package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.cli.api.HttpClientFactory;
import org.sallyport.cli.local.LocalServer.ServerStartResult;
import org.sallyport.cli.local.LocalServer.ServerStopResult;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalStyle;

class LocalServerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    Path directory;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicInteger preparations = new AtomicInteger();
    private ServerSettings settings = new ServerSettings(Path.of("x"), Path.of("y"), "127.0.0.1", 1, JAVA, List.of());

    @BeforeEach
    void choosePort() throws IOException {
        settings = new ServerSettings(
                directory.resolve("layout"), directory.resolve("data"), "127.0.0.1", freePort(), JAVA, List.of());
    }

    /** Chooses a port below the ephemeral range, in which a connection could take it between check and start. */
    private static int freePort() throws IOException {
        for (int tries = 0; tries < 100; tries++) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 15_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException taken) {
                // Try another port.
                continue;
            }
        }
        throw new AssertionError("no port is free");
    }

    @AfterEach
    void leaveNothing() throws IOException {
        server().stop(Duration.ofMillis(100));
    }

    @Test
    void upWaitsUntilReadyAndDownLeavesNoProcess() throws Exception {
        ServerStartResult started = server("children").start(TIMEOUT);

        ProcessHandle process = ProcessHandle.of(started.server().pid()).orElseThrow();
        List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
        family.add(process);
        assertThat(started.newlyStarted()).isTrue();
        assertThat(started.server().url()).isEqualTo(settings.url());
        assertThat(family).hasSizeGreaterThanOrEqualTo(3);
        assertThat(server().countWorkers()).isGreaterThanOrEqualTo(2);
        assertThat(settings.recordFile()).exists();

        assertThat(server().stop(TIMEOUT)).isEqualTo(ServerStopResult.ENDED);
        assertThat(family).noneMatch(ProcessHandle::isAlive);
        assertThat(settings.recordFile()).doesNotExist();
        assertThat(server().findRunning()).isEmpty();
        assertThat(Files.readString(settings.logFile())).contains("stand-in begins");
    }

    @Test
    void upLeavesARunningServiceUnchanged() throws Exception {
        ServerStartResult first = server().start(TIMEOUT);

        ServerStartResult second = server().start(TIMEOUT);

        assertThat(second.newlyStarted()).isFalse();
        assertThat(second.server()).isEqualTo(first.server());
    }

    @Test
    void concurrentStartsGiveOneService() throws Exception {
        LocalServer first = server();
        CompletableFuture<ServerStartResult> other = CompletableFuture.supplyAsync(() -> startUnchecked(first));

        ServerStartResult started = startUnchecked(server());

        assertThat(other.join().server()).isEqualTo(started.server());
        assertThat(List.of(started.newlyStarted(), other.join().newlyStarted())).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void busyPortIsReportedAndLeavesNoFiles() throws Exception {
        CompletableFuture<Void> answers;
        try (ServerSocket busy = new ServerSocket(settings.port(), 1, InetAddress.getLoopbackAddress())) {
            answers = CompletableFuture.runAsync(() -> closeConnections(busy));

            assertThatExceptionOfType(ServerStartException.class)
                    .isThrownBy(() -> server().start(TIMEOUT))
                    .withMessage("Port " + settings.port() + " on 127.0.0.1 is busy, so the service was not started.")
                    .satisfies(e -> assertThat(e.advice())
                            .contains("Another program listens there.")
                            .anyMatch(line -> line.contains("SALLYPORT_PORT=" + (settings.port() + 1))));
            assertThat(settings.recordFile()).doesNotExist();
            assertThat(settings.logFile()).doesNotExist();
        }
        answers.join();
    }

    @Test
    void serviceThatDiesAtStartIsReportedWithItsLastLogLines() {
        assertThatExceptionOfType(ServerStartException.class)
                .isThrownBy(() -> server("dies").start(TIMEOUT))
                .withMessage("The service ended while it was starting.")
                .satisfies(e -> assertThat(e.advice())
                        .contains("  | SEVERE: no such\\u001b[31m database")
                        .anyMatch(line -> line.contains(settings.logFile().toString())));
        assertThat(settings.recordFile()).doesNotExist();
    }

    @Test
    void serverWithoutItsApplicationEndsTheWait() {
        assertThatExceptionOfType(ServerStartException.class)
                .isThrownBy(() -> server("empty").start(TIMEOUT))
                .withMessage("The server has started, but its Sallyport application has not.")
                .satisfies(e -> assertThat(e.advice())
                        .contains("  | SEVERE Exception while loading the app")
                        .noneMatch(line -> line.contains("some.Frame")));
        assertThat(settings.recordFile()).doesNotExist();
    }

    @Test
    void serviceThatIsNotReadyInTimeIsStopped() throws Exception {
        assertThatExceptionOfType(ServerStartException.class)
                .isThrownBy(() -> server("never-ready").start(Duration.ofSeconds(9)))
                .withMessageStartingWith("The service was not ready after 9.00 s: not ready.");
        assertThat(settings.recordFile()).doesNotExist();
        try (ServerSocket free = new ServerSocket(settings.port(), 1, InetAddress.getLoopbackAddress())) {
            assertThat(free.isBound()).isTrue();
        }
    }

    @Test
    void serviceThatIgnoresTheStopRequestIsKilled() throws Exception {
        long pid = server("stubborn").start(TIMEOUT).server().pid();

        assertThat(server().stop(Duration.ofMillis(300))).isEqualTo(ServerStopResult.KILLED);
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    void processesLeftByAKilledServiceAreEnded() throws Exception {
        ProcessHandle process = ProcessHandle.of(
                        server("children").start(TIMEOUT).server().pid())
                .orElseThrow();
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        process.onExit().join();

        assertThat(server().stop(TIMEOUT)).isEqualTo(ServerStopResult.LEFTOVERS_ENDED);
        assertThat(children).isNotEmpty().noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void downNeverStopsForeignProcesses() throws Exception {
        Files.createDirectories(settings.dataDirectory());
        Process stranger = new ProcessBuilder("sleep", "60").start();
        try {
            Instant began = stranger.toHandle().info().startInstant().orElseThrow();
            // The right start time, but another program; and the right process id, but another start time.
            for (Instant instant : List.of(began, began.minusSeconds(3600))) {
                new ServerProcessRecord(stranger.pid(), instant, URI.create("http://127.0.0.1:1"))
                        .write(settings.recordFile());

                assertThat(server().findRunning()).isEmpty();
                assertThat(server().stop(TIMEOUT)).isEqualTo(ServerStopResult.WAS_NOT_RUNNING);
                assertThat(stranger.isAlive()).isTrue();
            }
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void unreadableProcessRecordIsIgnored() throws Exception {
        Files.createDirectories(settings.dataDirectory());
        for (String text : List.of("", "pid=x\n", "pid=1\nstarted=never\nurl=u\n", "\u0000\u0001")) {
            Files.writeString(settings.recordFile(), text);

            assertThat(ServerProcessRecord.read(settings.recordFile())).isEqualTo(Optional.empty());
            assertThat(server().stop(TIMEOUT)).isEqualTo(ServerStopResult.WAS_NOT_RUNNING);
        }
    }

    /** The files of a running or starting service are not written again. */
    @Test
    void onlyTheStartingCommandPreparesTheFiles() throws Exception {
        server().start(TIMEOUT);
        server().start(TIMEOUT);

        assertThat(preparations).hasValue(1);
    }

    @Test
    void dataDirectoryIsAccessibleOnlyToItsOwner() throws Exception {
        server().start(TIMEOUT);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(settings.dataDirectory())))
                .endsWith("------")
                .startsWith("rwx");
    }

    @Test
    void existingDataDirectoryIsClosedToOtherUsers() throws Exception {
        Files.createDirectories(settings.dataDirectory());
        Files.setPosixFilePermissions(settings.dataDirectory(), PosixFilePermissions.fromString("rwxr-xr-x"));

        server().start(TIMEOUT);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(settings.dataDirectory())))
                .isEqualTo("rwx------");
    }

    @Test
    void keyIsForTheProcessOfTheServiceOnly() throws Exception {
        ServerProcessRecord started = server().start(TIMEOUT).server();
        Files.writeString(settings.keyFile(), "sp_local\n");
        URI otherName = URI.create("http://localhost:" + settings.port() + "/");

        assertThat(server().keyFor(settings.url())).contains("sp_local");
        assertThat(server().keyFor(otherName)).contains("sp_local");

        try (ServerSocket stranger = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            URI strange = URI.create("http://127.0.0.1:" + stranger.getLocalPort());
            assertThat(server().keyFor(strange)).isEmpty();
            // The process lives, but does not listen there.
            new ServerProcessRecord(started.pid(), started.startedAt(), strange).write(settings.recordFile());
            assertThat(server().keyFor(strange)).isEmpty();
        } finally {
            started.write(settings.recordFile());
        }
    }

    @Test
    void keyIsNotForTheSuccessorOfADeadService() throws Exception {
        ServerProcessRecord started = server().start(TIMEOUT).server();
        Files.writeString(settings.keyFile(), "sp_local\n");
        ProcessHandle process = ProcessHandle.of(started.pid()).orElseThrow();
        process.destroyForcibly();
        process.onExit().join();

        try (ServerSocket stranger = new ServerSocket()) {
            stranger.setReuseAddress(true);
            stranger.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()));

            assertThat(settings.recordFile()).exists();
            assertThat(server().keyFor(settings.url())).isEmpty();
        }
    }

    private static ServerStartResult startUnchecked(LocalServer server) {
        try {
            return server.start(TIMEOUT);
        } catch (ServerStartException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private LocalServer server(String... words) {
        Terminal terminal = new Terminal(
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                false,
                new TerminalStyle(80, false, false));
        return new LocalServer(
                settings,
                command(words),
                preparations::incrementAndGet,
                terminal,
                new ReadinessProbe(new HttpClientFactory()));
    }

    private List<String> command(String... words) {
        List<String> command = new ArrayList<>(List.of(
                JAVA,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                ServerCommandLine.processMarker(settings),
                "-cp",
                Path.of("target", "test-classes").toAbsolutePath().toString(),
                FakeServerMain.class.getName(),
                Integer.toString(settings.port())));
        command.addAll(List.of(words));
        return command;
    }

    private static void closeConnections(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                socket.accept().close();
            } catch (IOException e) {
                return;
            }
        }
    }
}
