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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.DirectoryCleanup;
import org.sallyport.it.harness.FaultInjectingProxy;
import org.sallyport.it.harness.SallyportCli;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Runs every command of the documentation page as a process against a service, with output for people and with JSON
 * output.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CliCommandsIT {
    private static final Pattern COMMAND_ROW =
            Pattern.compile("(?m)^\\| `([a-z]+(?: [a-z]+)?)(?: [\\[A-Z][^`]*)?` \\|");

    /**
     * Commands that this test does not run: {@code up} starts a service, which {@link LauncherIT} tests; {@code
     * capability} and {@code scripts} only group subcommands.
     */
    private static final Set<String> EXCLUDED_COMMANDS = Set.of("up", "capability");

    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String ADD_SCRIPT = "return await demo.add({ a: 40, b: 2 })";
    private static final String MAIL_SCRIPT =
            "return await demo.send_mail({ to: 'a@example.org', subject: 'S', body: 'B' })";

    /** What all tests typed: a test that is run again after a failure is run without the others. */
    private static final Set<String> TYPED = ConcurrentHashMap.newKeySet();

    private final Path home = ServerSetup.temporaryDirectory();
    private final String name = "c" + UUID.randomUUID().toString().substring(0, 8);
    private final SallyportServer server;
    private final SallyportCli cli;

    CliCommandsIT(SallyportServer server) {
        this.server = server;
        cli = SallyportCli.of(server, home);
    }

    @AfterAll
    void deleteHome() {
        DirectoryCleanup.delete(home);
    }

    private String writeFile(String fileName, String text) throws IOException {
        return Files.writeString(home.resolve(fileName), text).toString();
    }

    private static String id(JsonNode json) {
        return json.path("id").asText();
    }

    private static String text(CommandResult command) {
        return command.expectExitCode(0).output().strip();
    }

    @AfterEach
    void keepTyped() {
        TYPED.addAll(cli.history());
    }

    @Test
    @Order(1)
    void scriptIsRunInspectedAndRerun() throws IOException {
        String add = writeFile("add.js", "console.log('adding');\n" + ADD_SCRIPT + "\n");

        CommandResult run = cli.run("run", add).expectExitCode(0);
        String id = id(cli.runJson("run", add));

        assertThat(run.output()).isEqualTo("adding\n42\n");
        assertThat(run.errorOutput()).contains("COMPLETED", "demo.add");
        assertThat(cli.run("show", id).expectExitCode(0).output()).isEqualTo("adding\n42\n");
        assertThat(cli.runJson("show", id).path("result").asInt()).isEqualTo(42);
        assertThat(cli.run("logs", id).expectExitCode(0).output()).isEqualTo("adding\n");
        assertThat(cli.runJson("logs", id).path("output").asText()).isEqualTo("adding\n");
        assertThat(cli.run("trace", id).expectExitCode(0).output()).contains("1  demo.add");
        assertThat(cli.runJson("trace", id).path("events").findValuesAsText("tool"))
                .contains("demo.add");
        assertThat(cli.run("rerun", id, "--offline").expectExitCode(0).output()).endsWith("42\n");
        JsonNode rerun = cli.runJson("rerun", id, "--args", "1");
        assertThat(rerun.path("rerunOf").asText()).isEqualTo(id);
        assertThat(cli.run("diff", id, id(rerun)).expectExitCode(0).errorOutput())
                .contains("The executions do not differ.");
        assertThat(cli.runJson("diff", id, id(rerun)).path("same").asBoolean()).isTrue();
        assertThat(cli.run("list", "--rerun-of", id).expectExitCode(0).output()).contains(id(rerun), "COMPLETED");
        assertThat(cli.runJson("list", "--rerun-of", id).path("items").findValuesAsText("id"))
                .contains(id(rerun));
    }

    @Test
    @Order(2)
    void submittedExecutionCanBeCancelled() throws IOException {
        String slow = writeFile("slow.js", "await demo.slow({ millis: 60000 })");

        String first = text(cli.run("submit", slow));
        String second = id(cli.runJson("submit", slow));

        assertThat(cli.run("cancel", first).expectExitCode(0).errorOutput()).contains(first);
        assertThat(id(cli.runJson("cancel", second))).isEqualTo(second);
        assertThat(cli.run("logs", "-f", first).exitCode()).isEqualTo(3);
        assertThat(cli.run("logs", "-f", second).exitCode()).isEqualTo(3);
        assertThat(cli.runJson(6, "cancel", second).path("type").asText()).endsWith(":already-terminal");
    }

    @Test
    @Order(2)
    void outputIsShownOnceAlthoughTheConnectionBreaksTwice() throws Exception {
        String mark = "go-" + name + "-";
        String script = writeFile(
                "lines.js",
                "for (let i = 0; i < 30; i++) {\n  console.log('line ' + i);\n"
                        + "  if (i === 9 || i === 19) await events.next('" + mark + "' + i);\n}\n");
        List<String> lines = IntStream.range(0, 30).mapToObj(i -> "line " + i).toList();
        Path run = home.resolve("lines-run");
        Path logs = home.resolve("lines-logs");
        try (FaultInjectingProxy wire = new FaultInjectingProxy(server.url().getPort())) {
            SallyportCli there = cli.withUrl(wire.url());
            Process running = there.start(run, home.resolve("lines-err"), "run", script, "--label", "mark=" + name);
            awaitLine(run, "line 9");
            String id = cli.runJson("list", "--label", "mark:" + name)
                    .at("/items/0/id")
                    .asText();
            Process following = there.start(logs, home.resolve("logs-err"), "logs", "-f", id);
            awaitLine(logs, "line 9");
            for (int i : List.of(9, 19)) {
                assertThat(wire.closeConnections()).isGreaterThanOrEqualTo(2);
                Await.until("line " + (i + 1) + " is printed", TIMEOUT, () -> {
                    server.api().run(SubmissionBody.javascript("await events.emit('" + mark + i + "')"));
                    return server.api().getExecution(id).path("output").asText().contains("line " + (i + 1) + "\n");
                });
                awaitLine(run, "line " + (i + 10));
                awaitLine(logs, "line " + (i + 10));
            }
            for (Process process : List.of(running, following)) {
                assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                assertThat(process.exitValue()).isZero();
            }
        }
        assertThat(Files.readAllLines(run).subList(0, 30)).isEqualTo(lines);
        assertThat(Files.readAllLines(logs)).isEqualTo(lines);
    }

    private static void awaitLine(Path file, String line) {
        Await.until(line + " is in " + file.getFileName(), TIMEOUT, () -> {
            try {
                return Files.readString(file).contains(line + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    @Order(2)
    void interruptedRunCancelsItsExecution() throws Exception {
        String script = writeFile("endless.js", "console.log('begun');\nfor (;;) await sleep(500);\n");
        Path out = home.resolve("endless-out");
        Path err = home.resolve("endless-err");
        Process run = cli.start(out, err, "run", script, "--no-trace");
        awaitLine(out, "begun");

        // SIGTERM has the effect of Ctrl-C, and also works where the parent of the test run ignores SIGINT.
        assertThat(new ProcessBuilder("kill", "-TERM", Long.toString(run.pid()))
                        .start()
                        .waitFor())
                .isZero();

        assertThat(run.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(run.exitValue()).isEqualTo(3);
        assertThat(Files.readString(err)).contains("Cancelling", "CANCELLED");
    }

    @Test
    @Order(3)
    void batchPrintsOneResultPerLine() throws IOException {
        String good = writeFile("good.ndjson", "{\"code\": \"return 1\"}\n{\"code\": \"return 2\"}\n");
        String bad = writeFile(
                "bad.ndjson", "{\"code\": \"return 1\"}\n{\"code\": \"throw new Error('no')\"}\n{\"cod\": 1}\n");

        CommandResult all = cli.run("batch", good).expectExitCode(0);
        CommandResult some = cli.run("batch", bad).expectExitCode(1);
        JsonNode json = cli.runJson(1, "batch", bad);

        assertThat(all.output().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("COMPLETED"));
        assertThat(all.errorOutput()).contains("2 COMPLETED");
        String id = text(cli.run("batch", good, "--no-wait"));
        assertThat(cli.run("batch", "--follow", id).expectExitCode(0).output().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("COMPLETED"));
        assertThat(cli.runInTerminal("batch", good))
                .containsPattern("\\[[#.]{24}] [0-2]/2  ")
                .contains("2 COMPLETED");
        assertThat(some.errorOutput()).contains("1 COMPLETED", "1 FAILED", "Line 3 was refused", "cod");
        assertThat(json.at("/counts/FAILED").asInt()).isEqualTo(1);
        assertThat(json.path("results").findValuesAsText("state")).contains("COMPLETED", "FAILED");
        String failed = json.path("id").asText();
        assertThat(text(cli.run("batches"))).contains(id, failed);
        assertThat(text(cli.run("batches", "list"))).contains(id);
        assertThat(cli.runJson(0, "batches").path("items")).isNotEmpty();
        assertThat(cli.runJson(0, "batches", "list").path("items")).isNotEmpty();
        assertThat(text(cli.run("batches", "show", id))).isEqualTo(id);
        assertThat(cli.runJson(0, "batches", "show", id).path("total").asInt()).isEqualTo(2);
        assertThat(cli.run("batches", "results", id).expectExitCode(0).output().lines())
                .hasSize(2);
        assertThat(cli.runJson(0, "batches", "results", id).path("results")).hasSize(2);
        cli.run("batches", "cancel", id).expectExitCode(0);
        assertThat(cli.runJson(0, "batches", "cancel", id).path("finished").asBoolean())
                .isTrue();
        cli.run("batches", "retry", failed).expectExitCode(1);
        assertThat(cli.runJson(1, "batches", "retry", failed).path("total").asInt())
                .isEqualTo(1);
    }

    @Test
    @Order(3)
    void rowsOfACapabilityAreWrittenAsCsvWithTheirResults() throws IOException {
        String capability = name + "-table@1.0.0";
        cli.run("capability", "publish", capability, writeFile("table.js", "return args.count + ' of ' + args.product"))
                .expectExitCode(0);
        String rows = writeFile("table.csv", "product,count\nlamp,2\n\"chair, blue\",1\n");
        Path results = home.resolve("results.csv");

        CommandResult batch = cli.run("batch", "--capability", capability, rows, "--out", results.toString())
                .expectExitCode(0);

        assertThat(batch.output()).isEmpty();
        assertThat(batch.errorOutput()).contains("2 COMPLETED");
        assertThat(Files.readString(results)
                        .replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "ID")
                        .split("\r\n", -1))
                .containsExactly(
                        "product,count,execution,state,result,error",
                        "lamp,2,ID,COMPLETED,\"\"\"2 of lamp\"\"\",",
                        "\"chair, blue\",1,ID,COMPLETED,\"\"\"1 of chair, blue\"\"\",",
                        "");
        assertThat(home.resolve("results.csv.part")).doesNotExist();
    }

    @Test
    @Order(4)
    void aScriptIsTestedAndPublished() throws IOException {
        String[] fees = {"examples/fees.ts", "--tests", "examples/fees.test.ts", "--tool", "demo.add"};
        String ran = id(cli.runJson("run", "examples/fees.ts", "--args", "{\"price\": 2}"));

        assertThat(cli.run("test", fees[0], fees[2]).expectExitCode(0).errorOutput())
                .contains("2 passed, 0 failed");
        assertThat(cli.runJson("test", fees[0], fees[2]).at("/summary/passed").asInt())
                .isEqualTo(2);
        assertThat(text(cli.run("capability", "publish", name + "@1.0.0", fees[0], fees[1], fees[2], fees[3], fees[4])))
                .startsWith(name + "@1.0.0  ");
        assertThat(cli.runJson("capability", "publish", name + "@1.1.0", fees[0], fees[1], fees[2], fees[3], fees[4])
                        .path("version")
                        .asText())
                .isEqualTo("1.1.0");
        assertThat(text(cli.run("capability", "promote", ran, name + "@1.2.0"))).startsWith(name + "@1.2.0  ");
        assertThat(cli.runJson("capability", "promote", ran, name + "@1.3.0")
                        .path("version")
                        .asText())
                .isEqualTo("1.3.0");
        assertThat(text(cli.run("capability", "deprecate", name + "@1.3.0", "--reason", "a try")))
                .startsWith(name + "@1.3.0");
        assertThat(cli.runJson("capability", "deprecate", name + "@1.1.0")
                        .path("version")
                        .asText())
                .isEqualTo("1.1.0");
        assertThat(text(cli.run("capability", "list", name))).contains(name, "1.2.0");
        assertThat(cli.runJson("capability", "list", name).at("/items/0/stable").asText())
                .isEqualTo("1.2.0");
        assertThat(text(cli.run("capability", "show", name))).contains("1.1.0", "deprecated");
        assertThat(cli.runJson("capability", "show", name).path("versions")).hasSize(4);
        cli.run("capability").expectExitCode(2);
    }

    @Test
    @Order(5)
    void approversDecideWithTheirOwnKeys() throws IOException {
        String mail = writeFile("mail.js", MAIL_SCRIPT);
        String key = text(cli.run("keys", "create", name, "--role", "approver"));
        JsonNode other = cli.runJson("keys", "create", name, "--role", "approver", "--for", "1h");
        SallyportCli boss = cli.withKey(key);

        String first = text(cli.run("submit", mail));
        String waits = awaitApproval(boss, first);
        assertThat(text(boss.run("approvals"))).contains(waits, "demo.send_mail");
        assertThat(boss.run("approve", waits).expectExitCode(0).errorOutput())
                .contains("APPROVED", "demo.send_mail", first);
        cli.run("logs", "-f", first).expectExitCode(0);

        String second = text(cli.run("submit", mail));
        assertThat(boss.runJson("approve", awaitApproval(boss, second), "--note", "well")
                        .path("state")
                        .asText())
                .isEqualTo("APPROVED");
        String third = text(cli.run("submit", mail));
        assertThat(boss.run("deny", awaitApproval(boss, third), "--note", "not today")
                        .expectExitCode(0)
                        .errorOutput())
                .contains("DENIED");
        assertThat(cli.run("logs", "-f", third).expectExitCode(1).errorOutput()).contains("not today");
        String fourth = text(cli.run("submit", mail));
        assertThat(boss.withKey(other.path("key").asText())
                        .runJson("deny", awaitApproval(boss, fourth))
                        .path("state")
                        .asText())
                .isEqualTo("DENIED");

        String dry = id(cli.runJson("run", mail, "--dry-run"));
        String dryToo = id(cli.runJson("run", mail, "--dry-run"));
        assertThat(text(cli.run("plan", dry))).contains("1  demo.send_mail");
        assertThat(cli.runJson("plan", dry).path("effects")).hasSize(1);
        String real = text(boss.run("plan", dry, "--approve"));
        String realToo = id(boss.runJson("plan", dryToo, "--approve"));
        cli.run("logs", "-f", real);
        cli.run("logs", "-f", realToo);
        assertThat(cli.runJson("show", real).path("state").asText()).isEqualTo("COMPLETED");

        assertThat(text(cli.run("keys"))).contains(name, "approver", id(other));
        assertThat(cli.runJson("keys").path("items").findValuesAsText("name")).contains(name);
        assertThat(cli.run("keys", "grants", id(other), "demo.a*", "demo.clock")
                        .expectExitCode(0)
                        .errorOutput())
                .contains("The key grants only these tools now.");
        assertThat(text(cli.run("keys"))).contains("demo.a*, demo.");
        assertThat(cli.runJson("keys", "grants", id(other)).path("grants")).isEmpty();
        assertThat(cli.runJson(6, "keys", "grants", "none", "x.y").path("type").asText())
                .endsWith(":not-found");
        assertThat(cli.run("keys", "delete", id(other)).expectExitCode(0).errorOutput())
                .contains("Deleted.");
        cli.runJson("keys").path("items").forEach(item -> {
            if (item.path("name").asText().equals(name)) {
                cli.runJson("keys", "delete", id(item));
            }
        });
        assertThat(boss.run("approvals").expectExitCode(5).errorOutput()).contains("(unauthorized, 401)");
    }

    private static String awaitApproval(SallyportCli boss, String execution) {
        return Await.untilPresent(
                "somebody is asked",
                SHORT_TIMEOUT,
                () -> items(boss.runJson("approvals"))
                        .filter(item -> item.path("execution").asText().equals(execution))
                        .map(CliCommandsIT::id)
                        .findFirst());
    }

    private static java.util.stream.Stream<JsonNode> items(JsonNode page) {
        return StreamSupport.stream(page.path("items").spliterator(), false);
    }

    @Test
    @Order(6)
    void scheduleIsCreatedPausedResumedAndDeleted() throws IOException {
        String script = writeFile("scheduled.js", "return 1");
        String first = name + "-a";
        String second = name + "-b";

        assertThat(cli.run("schedules", "create", script, "--name", first, "--every", "1h")
                        .expectExitCode(0)
                        .errorOutput())
                .contains(first + " runs next at ");
        assertThat(cli.runJson("schedules", "create", script, "--name", second, "--cron", "0 3 * * *")
                        .path("name")
                        .asText())
                .isEqualTo(second);
        for (String listing : List.of("schedules", "schedules list")) {
            assertThat(text(cli.run(listing.split(" ", -1)))).contains(first, second, "every 3600 s", "0 3 * * *");
            assertThat(cli.runJson(listing.split(" ", -1)).path("items").findValuesAsText("name"))
                    .contains(first, second);
        }
        assertThat(cli.run("schedules", "pause", first).expectExitCode(0).errorOutput())
                .contains("is paused");
        assertThat(cli.runJson("schedules", "pause", second).path("paused").asBoolean())
                .isTrue();
        assertThat(cli.run("schedules", "resume", first).expectExitCode(0).errorOutput())
                .contains("runs next at");
        assertThat(cli.runJson("schedules", "resume", second).path("paused").asBoolean())
                .isFalse();
        cli.run("logs", "-f", text(cli.run("schedules", "run", first))).expectExitCode(0);
        assertThat(id(cli.runJson("schedules", "run", second))).isNotEmpty();
        assertThat(cli.run("schedules", "delete", first).expectExitCode(0).errorOutput())
                .contains(first + " is deleted.");
        assertThat(cli.runJson("schedules", "delete", second).path("deleted").asText())
                .isEqualTo(second);
        cli.run("schedules", "pause", first).expectExitCode(2);
    }

    @Test
    @Order(6)
    void rowsOfAScheduleAreReplaced() throws IOException {
        String capability = name + "-rows";
        String schedule = name + "-c";
        cli.run("capability", "publish", capability + "@1.0.0", writeFile("each.js", "return args.a"))
                .expectExitCode(0);
        String rows = writeFile("rows.csv", "a\n1\n2\n");

        assertThat(cli.run(
                                "schedules",
                                "create",
                                "--name",
                                schedule,
                                "--every",
                                "1h",
                                "--capability",
                                capability,
                                "--rows",
                                rows)
                        .expectExitCode(0)
                        .errorOutput())
                .contains("2 rows are stored; 0 of them would be refused.");
        assertThat(cli.run("schedules", "rows", schedule, writeFile("more.csv", "a\n1\n2\n3\n"))
                        .expectExitCode(0)
                        .errorOutput())
                .contains("3 rows are stored");
        assertThat(cli.runJson("schedules", "rows", schedule, rows)
                        .path("total")
                        .asInt())
                .isEqualTo(2);
        cli.run("schedules", "delete", schedule).expectExitCode(0);
    }

    @Test
    @Order(7)
    void backendsAndTheirSecretsAreAddedAndRemoved() throws IOException {
        Path value = Path.of(writeFile("value", "hunter2hunter2\n"));
        String http = "{\"baseUrl\": \"http://127.0.0.1:9\", \"allowPrivate\": true,"
                + " \"operations\": {\"ping\": {\"method\": \"GET\", \"path\": \"/\"}}}";
        String first = name + "a";
        String second = name + "b";

        assertThat(cli.runWithInput(value, "secrets", "set", first)
                        .expectExitCode(0)
                        .errorOutput())
                .contains(first + " has version 1");
        assertThat(cli.runWithInput(value, "secrets", "set", second, "--json")
                        .expectExitCode(0)
                        .output())
                .contains(second)
                .doesNotContain("hunter2hunter2");
        for (String listing : List.of("secrets", "secrets list")) {
            assertThat(text(cli.run(listing.split(" ", -1))))
                    .contains(first, second)
                    .doesNotContain("hunter2hunter2");
            assertThat(cli.runJson(listing.split(" ", -1)).path("items").findValuesAsText("name"))
                    .contains(first, second);
        }
        assertThat(cli.run("backends", "add", first, "--kind", "http", "--settings", http)
                        .expectExitCode(0)
                        .errorOutput())
                .contains(first + " is ");
        assertThat(cli.runJson("backends", "add", second, "--kind", "http", "--settings", http)
                        .path("name")
                        .asText())
                .isEqualTo(second);
        assertThat(text(cli.run("backends"))).contains(first, second);
        assertThat(cli.runJson("backends").path("items").findValuesAsText("name"))
                .contains(first, second, "httpbin");
        assertThat(text(cli.run("backends", "show", first))).contains("\"ping\"");
        assertThat(cli.runJson("backends", "show", first)
                        .at("/settings/baseUrl")
                        .asText())
                .isEqualTo("http://127.0.0.1:9");
        assertThat(cli.run("backends", "restart", first).expectExitCode(0).errorOutput())
                .contains(first + " is ");
        assertThat(cli.runJson("backends", "restart", second).path("name").asText())
                .isEqualTo(second);
        assertThat(cli.run("backends", "accept", first, "ping", "0").exitCode()).isEqualTo(6);
        assertThat(cli.runJson(6, "backends", "accept", first, "ping", "0")
                        .path("status")
                        .asInt())
                .isBetween(400, 499);
        assertThat(text(cli.run("tools", "kv_"))).contains("demo.kv_get", "demo.kv_put");
        assertThat(cli.runJson("tools", "kv_").path("items").findValuesAsText("name"))
                .contains("demo.kv_get", "demo.kv_put")
                .doesNotContain("demo.add");
        assertThat(cli.run("backends", "remove", first).expectExitCode(0).errorOutput())
                .contains("Removed.");
        assertThat(cli.runJson("backends", "remove", second).path("removed").asText())
                .isEqualTo(second);
        assertThat(cli.run("secrets", "delete", first).expectExitCode(0).errorOutput())
                .contains("Deleted.");
        assertThat(cli.runJson("secrets", "delete", second).path("deleted").asText())
                .isEqualTo(second);
    }

    @Test
    @Order(8)
    void savedScriptsAndVariablesPrintTextAndJson() throws IOException {
        String script = writeFile("saved.js", "return 40 + 2");
        for (String name : List.of("cli.text", "cli.json")) {
            boolean json = name.endsWith("json");
            runInOneForm(json, name, "scripts", "save", script, "--name", name);
            runInOneForm(json, name, "scripts");
            runInOneForm(json, name, "scripts", "list");
            runInOneForm(json, "40 + 2", "scripts", "show", name);
            runInOneForm(json, "42", "scripts", "run", name);
            runInOneForm(json, "", "scripts", "delete", name);
            String variable = json ? "CLI_JSON" : "CLI_TEXT";
            runInOneForm(json, variable, "variables", "set", variable, "--value", "shown");
            runInOneForm(json, "shown", "variables");
            runInOneForm(json, variable, "variables", "list");
            runInOneForm(json, "", "variables", "delete", variable);
            String[] group = json ? new String[] {"events", "--json"} : new String[] {"events"};
            cli.run(group).expectExitCode(2);
            runInOneForm(json, "", "events", "emit", name, "--payload", "{\"n\":1}");
            runInOneForm(json, "{\"n\":1}", "events", "follow", "--name", name, "--after", "0", "--count", "1");
            String webhook = id(cli.runJson("webhooks", "create", "of " + name, "--event", name));
            runInOneForm(json, "hooks", "webhooks", "create", name, "--event", name);
            runInOneForm(json, name, "webhooks");
            runInOneForm(json, name, "webhooks", "list");
            runInOneForm(json, "", "webhooks", "disable", webhook);
            runInOneForm(json, "", "webhooks", "enable", webhook);
            runInOneForm(json, "", "webhooks", "delete", webhook);
            String id = id(cli.runJson("run", script));
            runInOneForm(json, "", "delete", id);
        }
    }

    /** Runs the command with or without {@code --json}; it ends well and prints {@code expected}. */
    private void runInOneForm(boolean json, String expected, String... words) {
        if (json) {
            assertThat(cli.runJson(words).toString()).contains(expected);
        } else {
            CommandResult printed = cli.run(words).expectExitCode(0);
            assertThat(printed.output() + printed.errorOutput()).contains(expected);
        }
    }

    @Test
    @Order(8)
    void localCommandsPrintTextAndJson() throws IOException {
        String key = writeFile("key.txt", "sp_x");

        assertThat(text(cli.run("status"))).contains("service    http://", "check      up");
        assertThat(cli.runJson("status").path("ready").asBoolean()).isTrue();
        assertThat(text(cli.run("tenants"))).contains("default");
        assertThat(cli.runJson("tenants").path("items").findValuesAsText("tenant"))
                .contains("default");
        assertThat(cli.run("logs").expectExitCode(0).errorOutput()).contains("There is no log yet");
        assertThat(cli.runJson("logs").path("lines")).isEmpty();
        cli.run("down").expectExitCode(0);
        assertThat(cli.runJson("down").path("stopped").asText()).isNotEmpty();
        String[] set = {"profile", "set", "far", "--url", "http://far.example", "--key-file", key};
        assertThat(cli.run(set).expectExitCode(0).errorOutput()).contains("Stored in ");
        assertThat(cli.runJson(set).path("key").asBoolean()).isTrue();
        assertThat(text(cli.run("profile"))).contains("far", "stored").doesNotContain("sp_x");
        assertThat(cli.runJson("profile").at("/profiles/far/url").asText()).isEqualTo("http://far.example");
        assertThat(cli.run("profile", "remove", "far").expectExitCode(0).errorOutput())
                .contains("Removed.");
        cli.run(set).expectExitCode(0);
        assertThat(cli.runJson("profile", "remove", "far").path("removed").asText())
                .isEqualTo("far");
        Path completion = Path.of(writeFile(
                "completion", cli.run("completion", "bash").expectExitCode(0).output()));
        CommandResult.run(java.util.Map.of(), List.of("bash", "-n", completion.toString()))
                .expectExitCode(0);
        assertThat(cli.runJson("completion", "bash").path("script").asText())
                .isEqualToIgnoringNewLines(Files.readString(completion));
    }

    @Test
    @Order(8)
    void backupIsTakenListedAndRestored() {
        String file = text(cli.run("backup"));
        assertThat(Path.of(file)).isRegularFile();
        String other = cli.runJson("backup").path("path").asText();
        String fileName = String.valueOf(Path.of(file).getFileName());
        assertThat(text(cli.run("backup", "list"))).contains(fileName);
        assertThat(cli.runJson("backup", "list").path("items").findValuesAsText("path"))
                .contains(file, other);
        // Into the data directory of this user, which has no service.
        assertThat(cli.run("restore", file).expectExitCode(0).errorOutput()).contains("Restored " + file);
        JsonNode second = cli.runJson("restore", other);
        assertThat(second.path("replacedDatabase").asText()).contains("sallyport.mv.db.replaced-");
        assertThat(Path.of(second.path("database").asText())).isRegularFile();
    }

    @Test
    @Order(9)
    void everyCommandOfThePageIsTested() throws IOException {
        Set<String> commands = COMMAND_ROW
                .matcher(Files.readString(CheckoutPaths.root().resolve("docs/command-line.md")))
                .results()
                .map(row -> row.group(1))
                .filter(command -> !EXCLUDED_COMMANDS.contains(command))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(commands).hasSizeGreaterThan(40);
        assertThat(findTypedCommands(commands, false)).isEqualTo(commands);
        assertThat(findTypedCommands(commands, true)).as("with --json").isEqualTo(commands);
    }

    private Set<String> findTypedCommands(Set<String> commands, boolean json) {
        return TYPED.stream()
                .filter(words -> words.endsWith("--json") == json)
                .map(words -> commands.stream()
                        .filter(command -> (words + " ").startsWith(command + " "))
                        .max(Comparator.comparing(String::length)))
                .flatMap(Optional::stream)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
