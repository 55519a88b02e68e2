package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCommandTest {
    private static final ServerSettings SETTINGS = new ServerSettings(
            Path.of("/opt/sallyport"), Path.of("/var/sallyport"), "127.0.0.1", 9090, "java", List.of("-Xmx2g"));

    @TempDir
    Path directory;

    @Test
    void theServiceListensOnItsPortAndFindsNoCluster() {
        assertThat(ServerCommand.of(SETTINGS))
                .contains("--nohazelcast", "-Dsallyport.port=9090")
                .containsSequence("--port", "9090")
                .containsSequence("--prebootcommandfile", "/opt/sallyport/preboot.txt")
                .doesNotContain("--logproperties");
    }

    @Test
    void anotherAddressIsACommandBeforeTheBoot() throws Exception {
        Files.writeString(directory.resolve("preboot.txt"), "set a=b");
        ServerSettings settings =
                new ServerSettings(directory, directory.resolve("data"), "::1", 9090, "java", List.of());

        ServerCommand.prepare(settings);

        Path file = directory.resolve("data/run/preboot.txt");
        assertThat(ServerCommand.of(settings)).containsSequence("--prebootcommandfile", file.toString());
        assertThat(Files.readString(file)).startsWith("set a=b\n").contains("http-listener.address=::1\n");
    }

    @Test
    void tlsIsAnAgentAndCommandsBeforeTheBoot() throws Exception {
        Files.writeString(directory.resolve("preboot.txt"), "set a=b\n");
        Files.writeString(directory.resolve("mtls.txt"), "set c=d\n");
        ServerSettings settings = new ServerSettings(
                directory,
                directory.resolve("data"),
                "127.0.0.1",
                9090,
                "java",
                List.of("-Dsallyport.tls.mode=tls", "-Dsallyport.tls.mode=mtls"));

        ServerCommand.prepare(settings);

        Path file = directory.resolve("data/run/preboot.txt");
        List<String> command = ServerCommand.of(settings);
        assertThat(command)
                .contains(
                        "-javaagent:" + directory.resolve("tls.jar"),
                        "-Djdk.tls.server.enableSessionTicketExtension=false")
                .containsSequence("--prebootcommandfile", file.toString());
        assertThat(command.indexOf("-javaagent:" + directory.resolve("tls.jar")))
                .isLessThan(command.indexOf("-jar"));
        assertThat(Files.readString(file)).contains("set a=b\n", "set c=d\n");
        assertThat(settings.url()).hasToString("https://127.0.0.1:9090");
        assertThat(ServerCommand.missing(settings)).contains(directory.resolve("tls.jar"));
        assertThat(ServerCommand.of(SETTINGS)).noneMatch(word -> word.startsWith("-javaagent"));
    }

    @Test
    void theLogIsShapedWhereTheLayoutSaysHow() throws Exception {
        Path logging = Files.createFile(directory.resolve("logging.properties"));
        ServerSettings settings = new ServerSettings(directory, directory, "127.0.0.1", 1, "java", List.of());

        assertThat(ServerCommand.of(settings)).containsSequence("--logproperties", logging.toString());
    }

    @Test
    void theBrokerIsDeployedBeforeTheApplication() {
        assertThat(ServerCommand.of(SETTINGS))
                .containsSequence("--deploy", "/opt/sallyport/artemis.rar", "--deploy", "/opt/sallyport/sallyport.war");
    }

    @Test
    void optionsOfTheUserComeLastAndWin() {
        List<String> command = ServerCommand.of(SETTINGS);

        assertThat(command.indexOf("-Xmx2g")).isGreaterThan(command.indexOf("-Xmx768m"));
        assertThat(command.indexOf("-Xmx2g")).isLessThan(command.indexOf("-jar"));
        assertThat(command).contains("-Dsallyport.data=/var/sallyport");
    }

    @Test
    void everyAddressIsReachedByThisMachine() {
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
