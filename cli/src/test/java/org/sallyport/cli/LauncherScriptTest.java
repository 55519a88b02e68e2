package org.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the launcher script in a temporary checkout, with fake programs for Maven, Java and uname. */
@DisabledOnOs(OS.WINDOWS)
class LauncherScriptTest {
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

    private static final List<String[]> SERVICE_STARTING_COMMANDS = List.of(
            new String[] {"up"},
            new String[] {"run", "x.js"},
            new String[] {"test", "x.js", "x.test.js"},
            new String[] {"bench", "smoke"},
            new String[] {"hostile"},
            new String[] {"chaos"});

    @TempDir
    Path directory;

    private Path home = Path.of("");
    private Path jdk = Path.of("");
    private Path programs = Path.of("");
    private String err = "";
    private String out = "";

    @BeforeEach
    void checkout() throws IOException {
        home = Files.createDirectories(directory.resolve("a checkout"));
        jdk = directory.resolve("jdk");
        programs = directory.resolve("bin");
        platform("Linux", "x86_64");
        Files.copy(Path.of("..", "sallyport"), home.resolve("sallyport"));
        source("pom.xml");
        source("cli/pom.xml");
        source("cli/src/main/java/Main.java");
        source("web/pom.xml");
        source("web/src/main/java/Web.java");
        program(home.resolve("mvnw"), """
                echo "$@" >>"$(dirname "$0")/maven-calls"
                [ -z "${BROKEN:-}" ] || { echo "[ERROR] Main.java:[3,1] illegal start of type"; exit 1; }
                echo "[INFO] Building Sallyport: command line 0.1.0 [2/2]"
                mkdir -p cli/target web/target/server
                touch cli/target/sallyport-cli.jar
                case "$*" in *web*) touch web/target/server/sallyport.war ;; esac
                """);
        java("17.0.15");
        program(jdk.resolve("bin/javac"), "exit 0\n");
    }

    @Test
    void missingModulesAreBuiltOnceAndOnlyIfTheCommandNeedsThem() throws Exception {
        assertThat(launch("list", "--state", "failed one")).isZero();
        assertThat(mavenCalls()).contains("-pl cli -am package");
        assertThat(err).contains("Building cli", "Sallyport: command line 0.1.0 [2/2]", "Built in");
        assertThat(out).contains("<list> <--state> <failed one>");

        launch("list");
        assertThat(mavenCalls().lines()).hasSize(1);

        launch("run", "x.js");
        assertThat(mavenCalls().lines()).hasSize(2).last().asString().contains("-pl web -am package");
        launch("run", "x.js");
        assertThat(mavenCalls().lines()).hasSize(2);
    }

    @Test
    void changedSourcesTriggerABuildButTestsDoNot() throws Exception {
        source("cli/src/main/java/Other.java");
        launch("list");

        Files.createDirectories(home.resolve("cli/src/test"));
        Files.writeString(home.resolve("cli/src/test/Test.java"), "");
        launch("list");
        assertThat(mavenCalls().lines()).hasSize(1);

        Files.setLastModifiedTime(home.resolve("cli/src/main/java/Main.java"), later());
        launch("list");
        assertThat(mavenCalls().lines()).hasSize(2);
    }

    @Test
    void remoteServiceNeedsNoServerBuild() throws Exception {
        launch("run", "x.js", "--url", "http://box.example:8080");

        assertThat(mavenCalls()).contains("-pl cli -am package").doesNotContain("web");
    }

    @Test
    void scriptTestsNeedAServerBuild() throws Exception {
        launch("test", "x.js", "x.test.js");

        assertThat(mavenCalls()).contains("-pl cli,web -am package");
    }

    @Test
    void serviceOfAProfileNeedsNoServerBuild() throws Exception {
        launch("run", "x.js", "--profile", "box");
        launch(Map.of("SALLYPORT_PROFILE", "box"), "run", "x.js");

        assertThat(mavenCalls()).contains("-pl cli -am package").doesNotContain("web");
    }

    @ParameterizedTest
    @CsvSource({"Darwin, arm64", "Darwin, x86_64", "Linux, aarch64"})
    void unsupportedPlatformBuildsNoServer(String system, String machine) throws Exception {
        platform(system, machine);

        for (String[] command : SERVICE_STARTING_COMMANDS) {
            assertThat(launch(command)).as(command[0]).isEqualTo(5);
            assertThat(err)
                    .as(command[0])
                    .isEqualTo("sallyport: The service runs only on Linux x86-64, and this machine is " + system + " "
                            + machine + "; --url or --profile selects a service on another machine.\n");
        }
        assertThat(home.resolve("maven-calls")).doesNotExist();
    }

    @Test
    void unsupportedPlatformCanUseRemoteServices() throws Exception {
        platform("Darwin", "arm64");

        assertThat(launch("list")).isZero();
        assertThat(launch("up", "--help")).isZero();
        assertThat(launch("run", "x.js", "--url", "http://box.example:8080")).isZero();
        assertThat(launch("run", "x.js", "--profile", "box")).isZero();
        assertThat(out).contains("<run> <x.js> <--profile> <box>");
        assertThat(launch(Map.of("SALLYPORT_URL", "http://box.example:8080"), "run", "x.js"))
                .isZero();
        assertThat(mavenCalls().lines()).singleElement().asString().contains("-pl cli -am package");
    }

    @Test
    void failedBuildIsShownAndEndsTheCommand() throws Exception {
        assertThat(launch(Map.of("BROKEN", "yes"), "list")).isEqualTo(5);
        assertThat(err).contains("Main.java:[3,1] illegal start of type", "The build failed.", "launcher-build.log");
        assertThat(out).isEmpty();
    }

    @Test
    void oldJavaIsReported() throws Exception {
        java("1.8.0_392");

        assertThat(launch("list")).isEqualTo(5);
        assertThat(err).contains("Java 8 is too old", "JDK 17 or newer");
    }

    @Test
    void wrongJavaHomeIsReported() throws Exception {
        assertThat(launch(Map.of("JAVA_HOME", "/nowhere"), "list")).isEqualTo(5);
        assertThat(err).contains("JAVA_HOME is /nowhere", "no bin/java");
    }

    @Test
    void missingCompilerIsReportedBeforeTheBuild() throws Exception {
        Files.delete(jdk.resolve("bin/javac"));

        assertThat(launch("list")).isEqualTo(5);
        assertThat(err).contains("Building needs a JDK", "javac");
    }

    private int launch(String... arguments) throws Exception {
        return launch(Map.of(), arguments);
    }

    private int launch(Map<String, String> variables, String... arguments) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder("bash", home.resolve("sallyport").toString());
        builder.command().addAll(List.of(arguments));
        builder.environment().remove("SALLYPORT_URL");
        builder.environment().remove("SALLYPORT_PROFILE");
        builder.environment().merge("PATH", programs.toString(), (path, first) -> first + ":" + path);
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().putAll(variables);
        Path errFile = directory.resolve("err");
        Path outFile = directory.resolve("out");
        Process process = builder.directory(directory.toFile())
                .redirectError(errFile.toFile())
                .redirectOutput(outFile.toFile())
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        err = Files.readString(errFile);
        out = Files.readString(outFile);
        return process.exitValue();
    }

    private String mavenCalls() throws IOException {
        return Files.readString(home.resolve("maven-calls"));
    }

    private void java(String version) throws IOException {
        program(jdk.resolve("bin/java"), "case \"$*\" in *ArchiveClasses*) exit 0 ;; esac\nprintf '<%s> ' \"$@\"\n");
        Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    }

    /** Sets the output of uname. */
    private void platform(String system, String machine) throws IOException {
        program(
                programs.resolve("uname"),
                "case \"$1\" in -s) echo " + system + " ;; -m) echo " + machine + " ;; esac\n");
    }

    /** Creates a source with an old time, so that the files of the fake Maven are newer. */
    private void source(String path) throws IOException {
        Path file = home.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
        Files.setLastModifiedTime(file, FileTime.from(LONG_AGO));
        for (Path part = home; part.getNameCount() < file.getNameCount() - 1; ) {
            part = file.getRoot().resolve(file.subpath(0, part.getNameCount() + 1));
            Files.setLastModifiedTime(part, FileTime.from(LONG_AGO));
        }
    }

    private static FileTime later() {
        return FileTime.from(Instant.now().plusSeconds(60));
    }

    private static void program(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/usr/bin/env bash\n" + script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
