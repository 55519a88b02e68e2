package org.sallyport.starting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fish.payara.micro.impl.PayaraMicroImpl;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Most tests start a separate Java VM, because the main class ends the process when it fails. */
class ServerMainTest {
    @TempDir
    Path directory;

    private Path platform;
    private Path root;

    private record ServerProcessResult(int exit, String output) {}

    @BeforeEach
    void layOut() throws IOException {
        platform = directory.resolve("platform");
        root = directory.resolve("data/run/payara");
        Files.createDirectories(platform.resolve("config"));
        Files.writeString(platform.resolve("config/domain.xml"), "<domain/>");
        try (OutputStream out = Files.newOutputStream(platform.resolve("launch-micro.jar"))) {
            new JarOutputStream(out, new Manifest()).close();
        }
    }

    private static ServerProcessResult run(String... arguments) throws Exception {
        return run(List.of(), arguments);
    }

    private static ServerProcessResult run(List<String> javaOptions, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ServerMain.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
            return new ServerProcessResult(process.exitValue(), output);
        } finally {
            process.destroyForcibly();
        }
    }

    private ServerProcessResult start(String how, int port) throws Exception {
        return run(how, "127.0.0.1", Integer.toString(port), platform.toString(), root.toString(), "--nohazelcast");
    }

    @Test
    void serverStartsThePlatformInANewRootDirectoryAndEndsWithIt() throws Exception {
        Files.createDirectories(root);
        Files.writeString(root.resolve("left"), "by a killed server");

        assertThat(start("answer", 0))
                .isEqualTo(new ServerProcessResult(
                        0, "--rootdir [--nohazelcast] config true left false\n" + platform.toRealPath() + "\n"));
    }

    @Test
    void symbolicLinksOfThePlatformAreResolved() throws Exception {
        Path links = Files.createDirectories(directory.resolve("links"));
        for (String name : List.of("config", "launch-micro.jar")) {
            Files.createSymbolicLink(links.resolve(name), platform.resolve(name));
        }

        ServerProcessResult ended = run("check", "127.0.0.1", "0", links.toString(), root.toString());

        assertThat(ended)
                .isEqualTo(new ServerProcessResult(
                        0, "--rootdir [] config true left false\n" + platform.toRealPath() + "\n"));
    }

    @Test
    void serverEndsWithAnErrorWhenThePlatformIsDamaged() throws Exception {
        Files.writeString(platform.resolve("launch-micro.jar"), "no jar");

        ServerProcessResult ended = start("check", 0);

        assertThat(ended.exit()).as(ended.output()).isEqualTo(5);
        assertThat(ended.output()).contains("cannot start (check 127.0.0.1 ", "launch-micro.jar cannot be read");
    }

    @ParameterizedTest
    @ValueSource(strings = {"answer", "check"})
    void serverEndsWithAnErrorWhenTheApplicationWasNotDeployed(String how) throws Exception {
        ServerProcessResult ended =
                run(how, "127.0.0.1", "0", platform.toString(), root.toString(), PayaraMicroImpl.WITHOUT_APPLICATION);

        assertThat(ended.exit()).as(ended.output()).isEqualTo(5);
        assertThat(ended.output())
                .contains(" SEVERE  ", "cannot start (" + how + " 127.0.0.1 ", "the application was not deployed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"answer", "check"})
    void serverEndsWithAnErrorWhenThePortIsTaken(String how) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ServerProcessResult ended = start(how, taken.getLocalPort());

            assertThat(ended.exit()).as(ended.output()).isEqualTo(5);
            assertThat(ended.output())
                    .contains(" SEVERE  ", "cannot start (" + how + " 127.0.0.1 ", "in use")
                    .doesNotContain("--rootdir");
        }
    }

    @Test
    void serverEndsWithAnErrorWhenAnotherProcessUsesTheDirectory() throws Exception {
        Files.createDirectories(root);
        Path left = Files.writeString(root.resolve("left"), "by a running server");
        try (FileChannel channel = FileChannel.open(
                        root.resolveSibling("payara.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            ServerProcessResult ended = start("check", 0);

            assertThat(lock.isValid()).isTrue();
            assertThat(ended.exit()).as(ended.output()).isEqualTo(5);
            assertThat(ended.output()).contains("another server process uses this data directory");
        }
        assertThat(left).exists();
    }

    @Test
    void serverEndsWithAnErrorForInvalidArguments() throws Exception {
        assertThat(run().exit()).isEqualTo(5);
        assertThat(start("listen", 0).exit()).isEqualTo(5);
        assertThat(run("answer", "127.0.0.1", "many", platform.toString(), root.toString())
                        .exit())
                .isEqualTo(5);
    }

    @Test
    void unsupportedPlatformEndsTheServerBeforeThePortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ServerProcessResult ended = run(
                    List.of("-Dos.arch=aarch64"),
                    "answer",
                    "127.0.0.1",
                    Integer.toString(taken.getLocalPort()),
                    platform.toString(),
                    root.toString());

            assertThat(ended.exit()).as(ended.output()).isEqualTo(5);
            assertThat(ended.output().lines())
                    .singleElement()
                    .asString()
                    .contains(" SEVERE  ")
                    .endsWith("it runs only on Linux x86-64, and this machine is Linux aarch64");
        }
        assertThat(root).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"amd64", "x86_64"})
    void linuxOnX8664IsSupported(String architecture) {
        assertThatCode(() -> ServerMain.requireSupportedPlatform("Linux", architecture))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "Linux, aarch64",
        "Linux, x86",
        "Mac OS X, x86_64",
        "Mac OS X, aarch64",
        "Windows 11, amd64",
        "FreeBSD, amd64",
        "'', ''"
    })
    void unsupportedPlatformIsRefusedByName(String name, String architecture) {
        assertThatThrownBy(() -> ServerMain.requireSupportedPlatform(name, architecture))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("it runs only on Linux x86-64, and this machine is " + name + " " + architecture);
    }
}
