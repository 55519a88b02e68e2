package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.ServerSetup;

/** The first steps of the README with the launcher of the checkout, from the first start to the last stop. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LauncherIT {
    private static final int MAX_STARTS = 20;
    private static final double MAX_STATUS_SECONDS = 0.5;
    /** On a slow machine the limit is this multiple of the start time of a Java VM that does nothing. */
    private static final int JVM_START_MULTIPLIER = 20;

    private final Path dataDirectory = ServerSetup.temporaryDirectory().resolve("data");
    private final int port = ServerSetup.freePort();
    private final Map<String, String> environment = Map.of(
            "SALLYPORT_DATA",
            dataDirectory.toString(),
            "SALLYPORT_PORT",
            Integer.toString(port),
            "SALLYPORT_JAVA_OPTS",
            ServerSetup.QUICK_START_OPTION);

    @AfterAll
    void stopService() {
        runSallyport("down");
    }

    private CommandResult runSallyport(String... arguments) {
        List<String> command = new ArrayList<>(List.of("./sallyport"));
        command.addAll(Arrays.asList(arguments));
        return CommandResult.run(environment, command);
    }

    private static String readme() throws IOException {
        return Files.readString(CheckoutPaths.root().resolve("README.md"));
    }

    private static String codeBlock(String language, String containing) throws IOException {
        Matcher blocks =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(readme());
        while (blocks.find()) {
            if (blocks.group(1).contains(containing)) {
                return blocks.group(1);
            }
        }
        throw new AssertionError("no block of " + language + " with " + containing);
    }

    @Test
    @Order(1)
    void readmeShowsTheExampleFileUnchanged() throws IOException {
        assertThat(Files.readString(CheckoutPaths.root().resolve("examples/hello.ts")))
                .endsWith("\n\n" + codeBlock("ts", "demo.add"));
    }

    @Test
    @Order(2)
    void theFirstCommandStartsTheServiceAndShowsResultAndTrace() throws IOException {
        String first = codeBlock("sh", "./sallyport run").lines().findFirst().orElseThrow();
        assertThat(first).startsWith("./sallyport run examples/hello.ts ");

        CommandResult run = runSallyport("run", "examples/hello.ts").expectExitCode(0);

        assertThat(run.output()).contains("Hello, world!", "19 + 23 = 42", "worth the wait");
        assertThat(run.errorOutput()).contains("Service ready", "demo.add", "demo.clock", "demo.slow");
    }

    @Test
    @Order(3)
    void requestOfTheReadmeReturnsTheResult() throws IOException {
        String request = codeBlock("sh", "curl")
                .replace("127.0.0.1:8080", "127.0.0.1:" + port)
                .replace("data/admin.key", dataDirectory + "/admin.key");

        CommandResult curl =
                CommandResult.run(environment, List.of("bash", "-c", request)).expectExitCode(0);

        assertThat(curl.output()).contains("\"state\":\"COMPLETED\"", "\"result\":42");
    }

    @Tag("slow")
    @Test
    @Order(4)
    void everyExampleRunsSuccessfully() {
        for (String example : List.of("hello.js", "parallel.ts", "retry.ts", "notes.ts", "call.json")) {
            assertThat(runSallyport("run", "examples/" + example).exitCode())
                    .as(example)
                    .isZero();
        }
    }

    @Tag("slow")
    @Test
    @Order(5)
    void theExitCodeFollowsTheState() throws IOException {
        Path failing = Files.writeString(dataDirectory.resolve("failing.js"), "throw new Error('no');\n");
        Path wrong = Files.writeString(dataDirectory.resolve("wrong.js"), "return 1 +;\n");

        assertThat(runSallyport("run", failing.toString()).expectExitCode(1).errorOutput())
                .contains("no");
        assertThat(runSallyport("run", wrong.toString()).expectExitCode(6).errorOutput())
                .contains("1 +;");
        runSallyport("run", "examples/endless.js", "--timeout", "1s").expectExitCode(4);
        runSallyport("run", "examples/nothing.js").expectExitCode(2);
    }

    @Tag("slow")
    @Test
    @Order(6)
    void secondServiceReportsTheBusyPort() {
        Map<String, String> other =
                Map.of("SALLYPORT_DATA", dataDirectory + "-other", "SALLYPORT_PORT", Integer.toString(port));

        CommandResult second = CommandResult.run(other, List.of("./sallyport", "up"));

        assertThat(second.exitCode()).isEqualTo(5);
        assertThat(second.errorOutput()).contains(Integer.toString(port));
        assertThat(runSallyport("up").expectExitCode(0).errorOutput()).contains("is already running");
    }

    @Test
    @Order(7)
    void statusAndLogsShowTheRunningService() {
        assertThat(runSallyport("status").expectExitCode(0).output()).contains(Integer.toString(port));
        assertThat(runSallyport("logs", "-n", "500").expectExitCode(0).output()).contains("admin.key");
    }

    /**
     * One fast try of several is enough, because other load on the machine slows down the rest. On a slow machine the
     * limit is a multiple of the start time of a Java VM that does nothing.
     */
    @Tag("slow")
    @Test
    @Order(8)
    void statusTakesAtMostHalfASecond() {
        List<String> taken = new ArrayList<>();
        boolean prompt = false;
        for (int i = 0; i < MAX_STARTS && !prompt; i++) {
            double nothing = measureSeconds("java -Xshare:auto -version");
            double status = measureSeconds("./sallyport status");
            taken.add(status + " beside " + nothing);
            prompt = status <= Math.max(MAX_STATUS_SECONDS, JVM_START_MULTIPLIER * nothing);
        }
        assertThat(prompt).as("seconds: %s", taken).isTrue();
    }

    private double measureSeconds(String command) {
        CommandResult timed = CommandResult.run(
                        environment,
                        List.of("bash", "-c", "LC_ALL=C TIMEFORMAT='%R'; time " + command + " >/dev/null 2>&1 || exit"))
                .expectExitCode(0);
        String[] seconds = timed.errorOutput().strip().split("\\s+", -1);
        return Double.parseDouble(seconds[seconds.length - 1]);
    }

    @Test
    @Order(9)
    void downLeavesNoProcess() throws IOException {
        List<ProcessHandle> before = processes();
        assertThat(before).isNotEmpty();

        runSallyport("down").expectExitCode(0);

        Await.until(
                "no process is left",
                Duration.ofSeconds(30),
                () -> before.stream().noneMatch(ProcessHandle::isAlive));
        runSallyport("status").expectExitCode(5);
    }

    @Tag("slow")
    @Test
    @Order(10)
    void dataSurvivesARestart() {
        runSallyport("up").expectExitCode(0);
        String list = runSallyport("list").expectExitCode(0).output();
        assertThat(list.lines()).hasSizeGreaterThan(1);

        runSallyport("down").expectExitCode(0);
        runSallyport("up").expectExitCode(0);

        assertThat(runSallyport("list").expectExitCode(0).output().lines().count())
                .isEqualTo(list.lines().count());
    }

    /** The service process and all its descendants. */
    private List<ProcessHandle> processes() throws IOException {
        long pid = Files.readAllLines(dataDirectory.resolve("server.pid")).stream()
                .filter(line -> line.startsWith("pid="))
                .mapToLong(line -> Long.parseLong(line.substring(4)))
                .findFirst()
                .orElseThrow();
        Optional<ProcessHandle> server = ProcessHandle.of(pid);
        List<ProcessHandle> all = new ArrayList<>(server.stream().toList());
        server.ifPresent(found -> found.descendants().forEach(all::add));
        return all;
    }
}
