package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Command;
import org.sallyport.it.harness.CommandLine;
import org.sallyport.it.harness.Directories;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Wire;

/** Every command of the page, as a process, at a service: as people type it, and as programs do. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CommandsIT {
    private static final Pattern ON_THE_PAGE =
            Pattern.compile("(?m)^\\| `([a-z]+(?: [a-z]+)?)(?: [\\[A-Z][^`]*)?` \\|");

    /** One starts a service, which LauncherIT does; the other only has commands below it. */
    private static final Set<String> NOT_HERE = Set.of("up", "capability");

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration LATER = Duration.ofSeconds(120);
    private static final String ADD = "return await demo.add({ a: 40, b: 2 })";
    private static final String MAIL = "return await demo.send_mail({ to: 'a@example.org', subject: 'S', body: 'B' })";

    private final Path home = ServerSetup.temporaryDirectory();
    private final String name = "c" + UUID.randomUUID().toString().substring(0, 8);
    private final SallyportServer server;
    private final CommandLine sallyport;

    CommandsIT(SallyportServer server) {
        this.server = server;
        sallyport = CommandLine.of(server, home);
    }

    @AfterAll
    void tidy() {
        Directories.delete(home);
    }

    private String file(String fileName, String text) throws IOException {
        return Files.writeString(home.resolve(fileName), text).toString();
    }

    private static String id(JsonNode json) {
        return json.path("id").asText();
    }

    private static String text(Command command) {
        return command.expect(0).out().strip();
    }

    @Test
    @Order(1)
    void aScriptIsRunLookedAtAndRunAgain() throws IOException {
        String add = file("add.js", "console.log('adding');\n" + ADD + "\n");

        Command run = sallyport.run("run", add).expect(0);
        String id = id(sallyport.json("run", add));

        assertThat(run.out()).isEqualTo("adding\n42\n");
        assertThat(run.err()).contains("COMPLETED", "demo.add");
        assertThat(sallyport.run("show", id).expect(0).out()).isEqualTo("adding\n42\n");
        assertThat(sallyport.json("show", id).path("result").asInt()).isEqualTo(42);
        assertThat(sallyport.run("logs", id).expect(0).out()).isEqualTo("adding\n");
        assertThat(sallyport.json("logs", id).path("output").asText()).isEqualTo("adding\n");
        assertThat(sallyport.run("trace", id).expect(0).out()).contains("1  demo.add");
        assertThat(sallyport.json("trace", id).path("events").findValuesAsText("tool"))
                .contains("demo.add");
        assertThat(sallyport.run("rerun", id, "--offline").expect(0).out()).endsWith("42\n");
        JsonNode again = sallyport.json("rerun", id, "--args", "1");
        assertThat(again.path("rerunOf").asText()).isEqualTo(id);
        assertThat(sallyport.run("diff", id, id(again)).expect(0).err()).contains("They do not differ.");
        assertThat(sallyport.json("diff", id, id(again)).path("same").asBoolean())
                .isTrue();
        assertThat(sallyport.run("list", "--rerun-of", id).expect(0).out()).contains(id(again), "COMPLETED");
        assertThat(sallyport.json("list", "--rerun-of", id).path("items").findValuesAsText("id"))
                .contains(id(again));
    }

    @Test
    @Order(2)
    void whatIsSubmittedCanBeCancelled() throws IOException {
        String slow = file("slow.js", "await demo.slow({ millis: 60000 })");

        String first = text(sallyport.run("submit", slow));
        String second = id(sallyport.json("submit", slow));

        assertThat(sallyport.run("cancel", first).expect(0).err()).contains(first);
        assertThat(id(sallyport.json("cancel", second))).isEqualTo(second);
        assertThat(sallyport.run("logs", "-f", first).exit()).isEqualTo(3);
        assertThat(sallyport.run("logs", "-f", second).exit()).isEqualTo(3);
        assertThat(sallyport.json(6, "cancel", second).path("type").asText()).endsWith(":already-terminal");
    }

    @Test
    @Order(2)
    void whatIsPrintedIsShownOnceThoughTheConnectionBreaksTwice() throws Exception {
        String mark = "go-" + name + "-";
        String script = file(
                "lines.js",
                "for (let i = 0; i < 30; i++) {\n  console.log('line ' + i);\n"
                        + "  if (i === 9 || i === 19) await events.next('" + mark + "' + i);\n}\n");
        List<String> lines = IntStream.range(0, 30).mapToObj(i -> "line " + i).toList();
        Path run = home.resolve("lines-run");
        Path logs = home.resolve("lines-logs");
        try (Wire wire = new Wire(server.url().getPort())) {
            CommandLine there = sallyport.through(wire.url());
            Process running = there.begin(run, home.resolve("lines-err"), "run", script, "--label", "mark=" + name);
            awaitLine(run, "line 9");
            String id = sallyport
                    .json("list", "--label", "mark:" + name)
                    .at("/items/0/id")
                    .asText();
            Process following = there.begin(logs, home.resolve("logs-err"), "logs", "-f", id);
            awaitLine(logs, "line 9");
            for (int i : List.of(9, 19)) {
                assertThat(wire.sever()).isGreaterThanOrEqualTo(2);
                Await.until("line " + (i + 1) + " is printed", LATER, () -> {
                    server.api().run(Submission.javascript("await events.emit('" + mark + i + "')"));
                    return server.api().execution(id).path("output").asText().contains("line " + (i + 1) + "\n");
                });
                awaitLine(run, "line " + (i + 10));
                awaitLine(logs, "line " + (i + 10));
            }
            for (Process process : List.of(running, following)) {
                assertThat(process.waitFor(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).isZero();
            }
        }
        assertThat(Files.readAllLines(run).subList(0, 30)).isEqualTo(lines);
        assertThat(Files.readAllLines(logs)).isEqualTo(lines);
    }

    private static void awaitLine(Path file, String line) {
        Await.until(line + " is in " + file.getFileName(), LATER, () -> {
            try {
                return Files.readString(file).contains(line + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    @Order(2)
    void whoInterruptsARunCancelsWhatItRuns() throws Exception {
        String script = file("endless.js", "console.log('begun');\nfor (;;) await sleep(500);\n");
        Path out = home.resolve("endless-out");
        Path err = home.resolve("endless-err");
        Process run = sallyport.begin(out, err, "run", script, "--no-trace");
        awaitLine(out, "begun");

        // As Ctrl-C does, and heard also where whoever runs the tests ignores that.
        assertThat(new ProcessBuilder("kill", "-TERM", Long.toString(run.pid()))
                        .start()
                        .waitFor())
                .isZero();

        assertThat(run.waitFor(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(run.exitValue()).isEqualTo(3);
        assertThat(Files.readString(err)).contains("Cancelling", "CANCELLED");
    }

    @Test
    @Order(3)
    void aBatchGivesOneResultALine() throws IOException {
        String good = file("good.ndjson", "{\"code\": \"return 1\"}\n{\"code\": \"return 2\"}\n");
        String bad =
                file("bad.ndjson", "{\"code\": \"return 1\"}\n{\"code\": \"throw new Error('no')\"}\n{\"cod\": 1}\n");

        Command all = sallyport.run("batch", good).expect(0);
        Command some = sallyport.run("batch", bad).expect(1);
        JsonNode json = sallyport.json(1, "batch", bad);

        assertThat(all.out().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("COMPLETED"));
        assertThat(all.err()).contains("2 COMPLETED");
        String id = text(sallyport.run("batch", good, "--no-wait"));
        assertThat(sallyport.run("batch", "--follow", id).expect(0).out().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("COMPLETED"));
        assertThat(sallyport.atTerminal("batch", good))
                .containsPattern("\\[[#.]{24}] [0-2]/2  ")
                .contains("2 COMPLETED");
        assertThat(some.err()).contains("1 COMPLETED", "1 FAILED", "Item 2 was refused", "cod");
        assertThat(json.at("/counts/FAILED").asInt()).isEqualTo(1);
        assertThat(json.path("results").findValuesAsText("state")).contains("COMPLETED", "FAILED");
    }

    @Test
    @Order(4)
    void aScriptIsTestedAndPublished() throws IOException {
        String[] fees = {"examples/fees.ts", "--tests", "examples/fees.test.ts", "--tool", "demo.add"};
        String ran = id(sallyport.json("run", "examples/fees.ts", "--args", "{\"price\": 2}"));

        assertThat(sallyport.run("test", fees[0], fees[2]).expect(0).err()).contains("2 passed, 0 failed");
        assertThat(sallyport
                        .json("test", fees[0], fees[2])
                        .at("/summary/passed")
                        .asInt())
                .isEqualTo(2);
        assertThat(text(sallyport.run(
                        "capability", "publish", name + "@1.0.0", fees[0], fees[1], fees[2], fees[3], fees[4])))
                .startsWith(name + "@1.0.0  ");
        assertThat(sallyport
                        .json("capability", "publish", name + "@1.1.0", fees[0], fees[1], fees[2], fees[3], fees[4])
                        .path("version")
                        .asText())
                .isEqualTo("1.1.0");
        assertThat(text(sallyport.run("capability", "promote", ran, name + "@1.2.0")))
                .startsWith(name + "@1.2.0  ");
        assertThat(sallyport
                        .json("capability", "promote", ran, name + "@1.3.0")
                        .path("version")
                        .asText())
                .isEqualTo("1.3.0");
        assertThat(text(sallyport.run("capability", "deprecate", name + "@1.3.0", "--reason", "a try")))
                .startsWith(name + "@1.3.0");
        assertThat(sallyport
                        .json("capability", "deprecate", name + "@1.1.0")
                        .path("version")
                        .asText())
                .isEqualTo("1.1.0");
        assertThat(text(sallyport.run("capability", "list", name))).contains(name, "1.2.0");
        assertThat(sallyport
                        .json("capability", "list", name)
                        .at("/items/0/stable")
                        .asText())
                .isEqualTo("1.2.0");
        assertThat(text(sallyport.run("capability", "show", name))).contains("1.1.0", "deprecated");
        assertThat(sallyport.json("capability", "show", name).path("versions")).hasSize(4);
        sallyport.run("capability").expect(2);
    }

    @Test
    @Order(5)
    void peopleDecideWithKeysOfTheirOwn() throws IOException {
        String mail = file("mail.js", MAIL);
        String key = text(sallyport.run("keys", "create", name, "--role", "approver"));
        JsonNode other = sallyport.json("keys", "create", name, "--role", "approver", "--for", "1h");
        CommandLine boss = sallyport.as(key);

        String first = text(sallyport.run("submit", mail));
        String waits = approval(boss, first);
        assertThat(text(boss.run("approvals"))).contains(waits, "demo.send_mail");
        assertThat(boss.run("approve", waits).expect(0).err()).contains("APPROVED", "demo.send_mail", first);
        sallyport.run("logs", "-f", first).expect(0);

        String second = text(sallyport.run("submit", mail));
        assertThat(boss.json("approve", approval(boss, second), "--note", "well")
                        .path("state")
                        .asText())
                .isEqualTo("APPROVED");
        String third = text(sallyport.run("submit", mail));
        assertThat(boss.run("deny", approval(boss, third), "--note", "not today")
                        .expect(0)
                        .err())
                .contains("DENIED");
        assertThat(sallyport.run("logs", "-f", third).expect(1).err()).contains("not today");
        String fourth = text(sallyport.run("submit", mail));
        assertThat(boss.as(other.path("key").asText())
                        .json("deny", approval(boss, fourth))
                        .path("state")
                        .asText())
                .isEqualTo("DENIED");

        String dry = id(sallyport.json("run", mail, "--dry-run"));
        String dryToo = id(sallyport.json("run", mail, "--dry-run"));
        assertThat(text(sallyport.run("plan", dry))).contains("1  demo.send_mail");
        assertThat(sallyport.json("plan", dry).path("effects")).hasSize(1);
        String real = text(boss.run("plan", dry, "--approve"));
        String realToo = id(boss.json("plan", dryToo, "--approve"));
        sallyport.run("logs", "-f", real);
        sallyport.run("logs", "-f", realToo);
        assertThat(sallyport.json("show", real).path("state").asText()).isEqualTo("COMPLETED");

        assertThat(text(sallyport.run("keys"))).contains(name, "approver", id(other));
        assertThat(sallyport.json("keys").path("items").findValuesAsText("name"))
                .contains(name);
        assertThat(sallyport
                        .run("keys", "grants", id(other), "demo.a*", "demo.clock")
                        .expect(0)
                        .err())
                .contains("It grants these now.");
        assertThat(text(sallyport.run("keys"))).contains("demo.a*, demo.");
        assertThat(sallyport.json("keys", "grants", id(other)).path("grants")).isEmpty();
        assertThat(sallyport
                        .json(6, "keys", "grants", "none", "x.y")
                        .path("type")
                        .asText())
                .endsWith(":not-found");
        assertThat(sallyport.run("keys", "delete", id(other)).expect(0).err()).contains("Deleted.");
        sallyport.json("keys").path("items").forEach(item -> {
            if (item.path("name").asText().equals(name)) {
                sallyport.json("keys", "delete", id(item));
            }
        });
        assertThat(boss.run("approvals").expect(5).err()).contains("(unauthorized, 401)");
    }

    private static String approval(CommandLine boss, String execution) {
        return Await.value(
                "somebody is asked",
                SOON,
                () -> items(boss.json("approvals"))
                        .filter(item -> item.path("execution").asText().equals(execution))
                        .map(CommandsIT::id)
                        .findFirst());
    }

    private static java.util.stream.Stream<JsonNode> items(JsonNode page) {
        return StreamSupport.stream(page.path("items").spliterator(), false);
    }

    @Test
    @Order(6)
    void aScheduleIsMadeHeldAndDeleted() throws IOException {
        String script = file("scheduled.js", "return 1");
        String first = name + "-a";
        String second = name + "-b";

        assertThat(sallyport
                        .run("schedules", "create", script, "--name", first, "--every", "1h")
                        .expect(0)
                        .err())
                .contains(first + " comes at ");
        assertThat(sallyport
                        .json("schedules", "create", script, "--name", second, "--cron", "0 3 * * *")
                        .path("name")
                        .asText())
                .isEqualTo(second);
        for (String listing : List.of("schedules", "schedules list")) {
            assertThat(text(sallyport.run(listing.split(" ", -1))))
                    .contains(first, second, "every 3600 s", "0 3 * * *");
            assertThat(sallyport.json(listing.split(" ", -1)).path("items").findValuesAsText("name"))
                    .contains(first, second);
        }
        assertThat(sallyport.run("schedules", "pause", first).expect(0).err()).contains("is paused");
        assertThat(sallyport.json("schedules", "pause", second).path("paused").asBoolean())
                .isTrue();
        assertThat(sallyport.run("schedules", "resume", first).expect(0).err()).contains("comes at");
        assertThat(sallyport.json("schedules", "resume", second).path("paused").asBoolean())
                .isFalse();
        sallyport
                .run("logs", "-f", text(sallyport.run("schedules", "run", first)))
                .expect(0);
        assertThat(id(sallyport.json("schedules", "run", second))).isNotEmpty();
        assertThat(sallyport.run("schedules", "delete", first).expect(0).err()).contains(first + " is deleted.");
        assertThat(sallyport.json("schedules", "delete", second).path("deleted").asText())
                .isEqualTo(second);
        sallyport.run("schedules", "pause", first).expect(2);
    }

    @Test
    @Order(7)
    void backendsAndTheirSecretsComeAndGo() throws IOException {
        Path value = Path.of(file("value", "hunter2hunter2\n"));
        String http = "{\"baseUrl\": \"http://127.0.0.1:9\", \"allowPrivate\": true,"
                + " \"operations\": {\"ping\": {\"method\": \"GET\", \"path\": \"/\"}}}";
        String first = name + "a";
        String second = name + "b";

        assertThat(sallyport.reading(value, "secrets", "set", first).expect(0).err())
                .contains(first + " has version 1");
        assertThat(sallyport
                        .reading(value, "secrets", "set", second, "--json")
                        .expect(0)
                        .out())
                .contains(second)
                .doesNotContain("hunter2hunter2");
        for (String listing : List.of("secrets", "secrets list")) {
            assertThat(text(sallyport.run(listing.split(" ", -1))))
                    .contains(first, second)
                    .doesNotContain("hunter2hunter2");
            assertThat(sallyport.json(listing.split(" ", -1)).path("items").findValuesAsText("name"))
                    .contains(first, second);
        }
        assertThat(sallyport
                        .run("backends", "add", first, "--kind", "http", "--settings", http)
                        .expect(0)
                        .err())
                .contains(first + " is ");
        assertThat(sallyport
                        .json("backends", "add", second, "--kind", "http", "--settings", http)
                        .path("name")
                        .asText())
                .isEqualTo(second);
        assertThat(text(sallyport.run("backends"))).contains(first, second);
        assertThat(sallyport.json("backends").path("items").findValuesAsText("name"))
                .contains(first, second, "httpbin");
        assertThat(text(sallyport.run("backends", "show", first))).contains("\"ping\"");
        assertThat(sallyport
                        .json("backends", "show", first)
                        .at("/settings/baseUrl")
                        .asText())
                .isEqualTo("http://127.0.0.1:9");
        assertThat(sallyport.run("backends", "restart", first).expect(0).err()).contains(first + " is ");
        assertThat(sallyport.json("backends", "restart", second).path("name").asText())
                .isEqualTo(second);
        assertThat(sallyport.run("backends", "accept", first, "ping", "0").exit())
                .isEqualTo(6);
        assertThat(sallyport
                        .json(6, "backends", "accept", first, "ping", "0")
                        .path("status")
                        .asInt())
                .isBetween(400, 499);
        assertThat(text(sallyport.run("tools", "kv_"))).contains("demo.kv_get", "demo.kv_put");
        assertThat(sallyport.json("tools", "kv_").path("items").findValuesAsText("name"))
                .contains("demo.kv_get", "demo.kv_put")
                .doesNotContain("demo.add");
        assertThat(sallyport.run("backends", "remove", first).expect(0).err()).contains("Removed.");
        assertThat(sallyport.json("backends", "remove", second).path("removed").asText())
                .isEqualTo(second);
        assertThat(sallyport.run("secrets", "delete", first).expect(0).err()).contains("Deleted.");
        assertThat(sallyport.json("secrets", "delete", second).path("deleted").asText())
                .isEqualTo(second);
    }

    @Test
    @Order(8)
    void whatIsOfThisMachineIsToldToo() throws IOException {
        String key = file("key.txt", "sp_x");

        assertThat(text(sallyport.run("status"))).contains("service    http://", "check      up");
        assertThat(sallyport.json("status").path("ready").asBoolean()).isTrue();
        assertThat(text(sallyport.run("tenants"))).contains("default");
        assertThat(sallyport.json("tenants").path("items").findValuesAsText("tenant"))
                .contains("default");
        assertThat(sallyport.run("logs").expect(0).err()).contains("There is no log yet");
        assertThat(sallyport.json("logs").path("lines")).isEmpty();
        sallyport.run("down").expect(0);
        assertThat(sallyport.json("down").path("stopped").asText()).isNotEmpty();
        String[] set = {"profile", "set", "far", "--url", "http://far.example", "--key-file", key};
        assertThat(sallyport.run(set).expect(0).err()).contains("Kept in ");
        assertThat(sallyport.json(set).path("key").asBoolean()).isTrue();
        assertThat(text(sallyport.run("profile"))).contains("far", "kept").doesNotContain("sp_x");
        assertThat(sallyport.json("profile").at("/profiles/far/url").asText()).isEqualTo("http://far.example");
        assertThat(sallyport.run("profile", "remove", "far").expect(0).err()).contains("Removed.");
        sallyport.run(set).expect(0);
        assertThat(sallyport.json("profile", "remove", "far").path("removed").asText())
                .isEqualTo("far");
        Path completion = Path.of(
                file("completion", sallyport.run("completion", "bash").expect(0).out()));
        Command.run(java.util.Map.of(), List.of("bash", "-n", completion.toString()))
                .expect(0);
        assertThat(sallyport.json("completion", "bash").path("script").asText())
                .isEqualToIgnoringNewLines(Files.readString(completion));
    }

    @Test
    @Order(9)
    void noCommandOfThePageIsLeftOut() throws IOException {
        Set<String> commands = ON_THE_PAGE
                .matcher(Files.readString(Checkout.home().resolve("docs/command-line.md")))
                .results()
                .map(row -> row.group(1))
                .filter(command -> !NOT_HERE.contains(command))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(commands).hasSizeGreaterThan(40);
        assertThat(typed(commands, false)).isEqualTo(commands);
        assertThat(typed(commands, true)).as("with --json").isEqualTo(commands);
    }

    private Set<String> typed(Set<String> commands, boolean json) {
        return sallyport.typed().stream()
                .filter(words -> words.endsWith("--json") == json)
                .map(words -> commands.stream()
                        .filter(command -> (words + " ").startsWith(command + " "))
                        .max(Comparator.comparing(String::length)))
                .flatMap(Optional::stream)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
