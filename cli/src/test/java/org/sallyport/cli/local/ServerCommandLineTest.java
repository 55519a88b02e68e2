package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCommandLineTest {
    private static final ServerSettings SETTINGS = new ServerSettings(
            Path.of("/opt/sallyport"), Path.of("/var/sallyport"), "127.0.0.1", 9090, "java", List.of("-Xmx2g"));

    @TempDir
    Path directory;

    @Test
    void serviceListensOnItsPortAndJoinsNoCluster() {
        assertThat(ServerCommandLine.build(SETTINGS))
                .contains("--nohazelcast", "-Dsallyport.port=9090")
                .containsSequence("--port", "9090")
                .containsSequence("--prebootcommandfile", "/var/sallyport/run/preboot.txt")
                .doesNotContain("--logproperties");
    }

    @Test
    void workerClassFilesPreparedByTheBuildAreUsed() throws IOException {
        ServerSettings settings =
                new ServerSettings(directory, Path.of("/var/sallyport"), "127.0.0.1", 9090, "java", List.of());
        String option = "-Dsallyport.sandbox.prepared=" + directory.resolve("workers");

        assertThat(ServerCommandLine.build(settings)).doesNotContain(option);
        Files.createDirectory(directory.resolve("workers"));
        assertThat(ServerCommandLine.build(settings)).contains(option);
    }

    @Test
    void memoryBesideTheHeapIsLimitedAndProcessEndsWithoutMemory() {
        List<String> command = ServerCommandLine.build(SETTINGS);

        assertThat(command)
                .contains(
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:MaxDirectMemorySize=256m",
                        "-Djdk.nio.maxCachedBufferSize=1048576");
        // The last option applies, so that an operator can change each.
        assertThat(command.indexOf("-Xmx2g")).isGreaterThan(command.indexOf("-XX:MaxDirectMemorySize=256m"));
    }

    private void writeCommandFiles() throws IOException {
        Files.writeString(directory.resolve("preboot.txt"), "set a=b");
        Files.writeString(directory.resolve("starting.txt"), "set e=f");
    }

    @Test
    void placeholderAnswersDuringTheStart() throws Exception {
        List<String> command = ServerCommandLine.build(SETTINGS);

        assertThat(command)
                .containsSequence(
                        "-cp",
                        "/opt/sallyport/starting.jar",
                        "org.sallyport.starting.ServerMain",
                        "answer",
                        "127.0.0.1",
                        "9090",
                        "/opt/sallyport/platform",
                        "/var/sallyport/run/payara")
                .containsSequence("--postdeploycommandfile", "/opt/sallyport/started.txt");
        assertThat(ServerCommandLine.missingFiles(SETTINGS))
                .contains(Path.of("/opt/sallyport/starting.jar"), Path.of("/opt/sallyport/starting.txt"));
    }

    @Test
    void dataDirectoryIsAccessibleOnlyToItsOwner() throws Exception {
        writeCommandFiles();
        Path data = directory.resolve("data");

        ServerCommandLine.writeFiles(new ServerSettings(directory, data, "127.0.0.1", 9090, "java", List.of()));

        assertThat(Files.getPosixFilePermissions(data)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void otherAddressIsSetByAPrebootCommand() throws Exception {
        writeCommandFiles();
        ServerSettings settings =
                new ServerSettings(directory, directory.resolve("data"), "::1", 9090, "java", List.of());

        ServerCommandLine.writeFiles(settings);

        Path file = directory.resolve("data/run/preboot.txt");
        assertThat(ServerCommandLine.build(settings)).containsSequence("--prebootcommandfile", file.toString());
        assertThat(Files.readString(file)).startsWith("set a=b\nset e=f\n").contains("http-listener.address=::1\n");
    }

    @Test
    void tlsUsesAnAgentAndPrebootCommands() throws Exception {
        writeCommandFiles();
        Files.writeString(directory.resolve("mtls.txt"), "set c=d\n");
        ServerSettings settings = new ServerSettings(
                directory,
                directory.resolve("data"),
                "127.0.0.1",
                9090,
                "java",
                List.of("-Dsallyport.tls.mode=tls", "-Dsallyport.tls.mode=mtls"));

        ServerCommandLine.writeFiles(settings);

        Path file = directory.resolve("data/run/preboot.txt");
        List<String> command = ServerCommandLine.build(settings);
        assertThat(command)
                .contains(
                        "-javaagent:" + directory.resolve("tls.jar"),
                        "-Djdk.tls.server.enableSessionTicketExtension=false")
                .containsSequence("--prebootcommandfile", file.toString());
        assertThat(command.indexOf("-javaagent:" + directory.resolve("tls.jar")))
                .isLessThan(command.indexOf("-cp"));
        assertThat(Files.readString(file)).contains("set a=b\n", "set e=f\n", "set c=d\n");
        assertThat(settings.url()).hasToString("https://127.0.0.1:9090");
        assertThat(ServerCommandLine.missingFiles(settings)).contains(directory.resolve("tls.jar"));
        assertThat(ServerCommandLine.build(SETTINGS)).noneMatch(word -> word.endsWith("tls.jar"));
        // With TLS the start only checks the port: it has no keys yet, so it cannot respond.
        assertThat(command).containsSequence("org.sallyport.starting.ServerMain", "check", "127.0.0.1", "9090");
    }

    @Test
    void logUsesTheConfigurationOfTheLayout() throws Exception {
        Path logging = Files.createFile(directory.resolve("logging.properties"));
        ServerSettings settings = new ServerSettings(directory, directory, "127.0.0.1", 1, "java", List.of());

        assertThat(ServerCommandLine.build(settings)).containsSequence("--logproperties", logging.toString());
    }

    @Test
    void logIsJsonIfRequested() throws Exception {
        for (String part : List.of("preboot.txt", "starting.txt")) {
            Files.writeString(directory.resolve(part), "");
        }
        Files.writeString(directory.resolve("logging.properties"), "formatter=text\n.level=WARNING");
        ServerSettings settings = new ServerSettings(
                directory,
                directory.resolve("data"),
                "127.0.0.1",
                1,
                "java",
                List.of("-Dsallyport.log.format=text", "-Dsallyport.log.format=json"));

        ServerCommandLine.writeFiles(settings);

        Path logging = directory.resolve("data/run/logging.properties");
        assertThat(ServerCommandLine.build(settings)).containsSequence("--logproperties", logging.toString());
        assertThat(logging)
                .content()
                .startsWith("formatter=text\n.level=WARNING\n")
                .endsWith("java.util.logging.ConsoleHandler.formatter=org.sallyport.logging.JsonFormatter\n");
    }

    @Test
    void theBrokerIsDeployedBeforeTheApplication() {
        assertThat(ServerCommandLine.build(SETTINGS))
                .containsSequence("--deploy", "/opt/sallyport/artemis.rar", "--deploy", "/opt/sallyport/sallyport.war");
    }

    @Test
    void userOptionsComeLastAndWin() {
        List<String> command = ServerCommandLine.build(SETTINGS);

        assertThat(command.indexOf("-Xmx2g")).isGreaterThan(command.indexOf("-Xmx768m"));
        assertThat(command.indexOf("-Xmx2g")).isLessThan(command.indexOf("-cp"));
        assertThat(command).contains("-Dsallyport.data=/var/sallyport");
    }

    @Test
    void urlOfEveryAddressIsReachableFromThisMachine() {
        assertThat(url("0.0.0.0")).isEqualTo("http://127.0.0.1:80");
        assertThat(url("::")).isEqualTo("http://[::1]:80");
        assertThat(url("::1")).isEqualTo("http://[::1]:80");
        assertThat(url("box.example")).isEqualTo("http://box.example:80");
    }

    private static String url(String host) {
        return new ServerSettings(Path.of("l"), Path.of("d"), host, 80, "java", List.of())
                .url()
                .toString();
    }
}
