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
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Command;
import org.sallyport.it.harness.ServerSetup;

/** What the README shows a newcomer, with the launcher of the checkout, from the first start to the last stop. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LauncherIT {
    private static final int STARTS = 20;
    private static final double PROMPT_SECONDS = 0.5;
    /** On a slow machine, a multiple of what a Java VM takes that does nothing. */
    private static final int TIMES_NOTHING = 20;

    private final Path data = ServerSetup.temporaryDirectory().resolve("data");
    private final int port = ServerSetup.freePort();
    private final Map<String, String> environment = Map.of(
            "SALLYPORT_DATA",
            data.toString(),
            "SALLYPORT_PORT",
            Integer.toString(port),
            "SALLYPORT_JAVA_OPTS",
            ServerSetup.QUICK_START);

    @AfterAll
    void down() {
        sallyport("down");
    }

    private Command sallyport(String... arguments) {
        List<String> command = new ArrayList<>(List.of("./sallyport"));
        command.addAll(Arrays.asList(arguments));
        return Command.run(environment, command);
    }

    private static String readme() throws IOException {
        return Files.readString(Checkout.home().resolve("README.md"));
    }

    private static String block(String language, String containing) throws IOException {
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
    void theReadmeShowsTheExampleAsItIs() throws IOException {
        assertThat(Files.readString(Checkout.home().resolve("examples/hello.ts")))
                .endsWith("\n\n" + block("ts", "demo.add"));
    }

    @Test
    @Order(2)
    void theFirstCommandStartsTheServiceAndShowsResultAndTrace() throws IOException {
        String first = block("sh", "./sallyport run").lines().findFirst().orElseThrow();
        assertThat(first).startsWith("./sallyport run examples/hello.ts ");

        Command run = sallyport("run", "examples/hello.ts").expect(0);

        assertThat(run.out()).contains("Hello, world!", "19 + 23 = 42", "worth the wait");
        assertThat(run.err()).contains("Service ready", "demo.add", "demo.clock", "demo.slow");
    }

    @Test
    @Order(3)
    void theRequestOfTheReadmeGivesTheResult() throws IOException {
        String request = block("sh", "curl")
                .replace("127.0.0.1:8080", "127.0.0.1:" + port)
                .replace("data/admin.key", data + "/admin.key");

        Command curl = Command.run(environment, List.of("bash", "-c", request)).expect(0);

        assertThat(curl.out()).contains("\"state\":\"COMPLETED\"", "\"result\":42");
    }

    @Tag("slow")
    @Test
    @Order(4)
    void everyExampleDoesWhatItIsFor() {
        for (String example : List.of("hello.js", "parallel.ts", "retry.ts", "notes.ts", "call.json")) {
            assertThat(sallyport("run", "examples/" + example).exit())
                    .as(example)
                    .isZero();
        }
    }

    @Tag("slow")
    @Test
    @Order(5)
    void theExitCodeFollowsTheState() throws IOException {
        Path failing = Files.writeString(data.resolve("failing.js"), "throw new Error('no');\n");
        Path wrong = Files.writeString(data.resolve("wrong.js"), "return 1 +;\n");

        assertThat(sallyport("run", failing.toString()).expect(1).err()).contains("no");
        assertThat(sallyport("run", wrong.toString()).expect(6).err()).contains("1 +;");
        sallyport("run", "examples/endless.js", "--timeout", "1s").expect(4);
        sallyport("run", "examples/nothing.js").expect(2);
    }

    @Tag("slow")
    @Test
    @Order(6)
    void aSecondServiceOnABusyPortSaysSo() {
        Map<String, String> other = Map.of("SALLYPORT_DATA", data + "-other", "SALLYPORT_PORT", Integer.toString(port));

        Command second = Command.run(other, List.of("./sallyport", "up"));

        assertThat(second.exit()).isEqualTo(5);
        assertThat(second.err()).contains(Integer.toString(port));
        assertThat(sallyport("up").expect(0).err()).contains("runs already");
    }

    @Test
    @Order(7)
    void statusAndLogsTellOfIt() {
        assertThat(sallyport("status").expect(0).out()).contains(Integer.toString(port));
        assertThat(sallyport("logs", "-n", "500").expect(0).out()).contains("admin.key");
    }

    /** One of some: the others are about what else the machine does. Where nothing starts soon, a multiple of what does nothing. */
    @Tag("slow")
    @Test
    @Order(8)
    void aStatusTakesHalfASecondAtMost() {
        List<String> taken = new ArrayList<>();
        boolean prompt = false;
        for (int i = 0; i < STARTS && !prompt; i++) {
            double nothing = seconds("java -Xshare:auto -version");
            double status = seconds("./sallyport status");
            taken.add(status + " beside " + nothing);
            prompt = status <= Math.max(PROMPT_SECONDS, TIMES_NOTHING * nothing);
        }
        assertThat(prompt).as("seconds: %s", taken).isTrue();
    }

    private double seconds(String command) {
        Command timed = Command.run(
                        environment,
                        List.of("bash", "-c", "LC_ALL=C TIMEFORMAT='%R'; time " + command + " >/dev/null 2>&1 || exit"))
                .expect(0);
        String[] seconds = timed.err().strip().split("\\s+", -1);
        return Double.parseDouble(seconds[seconds.length - 1]);
    }

    @Test
    @Order(9)
    void downLeavesNoProcess() throws IOException {
        List<ProcessHandle> before = processes();
        assertThat(before).isNotEmpty();

        sallyport("down").expect(0);

        Await.until(
                "no process is left",
                Duration.ofSeconds(30),
                () -> before.stream().noneMatch(ProcessHandle::isAlive));
        sallyport("status").expect(5);
    }

    @Tag("slow")
    @Test
    @Order(10)
    void theDataSurvive() {
        sallyport("up").expect(0);
        String list = sallyport("list").expect(0).out();
        assertThat(list.lines()).hasSizeGreaterThan(1);

        sallyport("down").expect(0);
        sallyport("up").expect(0);

        assertThat(sallyport("list").expect(0).out().lines().count())
                .isEqualTo(list.lines().count());
    }

    /** The service and all below it. */
    private List<ProcessHandle> processes() throws IOException {
        long pid = Files.readAllLines(data.resolve("server.pid")).stream()
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
