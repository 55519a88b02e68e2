package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.DirectoryCleanup;
import org.sallyport.it.harness.SallyportCli;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;

/**
 * The command escapes the text of other users before it writes the text to a terminal. Control characters, and
 * characters that a terminal does not display, appear as visible escapes.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ControlCharactersIT {
    /**
     * Sets the window title, clears the screen, starts a control sequence with a one-byte CSI, moves back, and reverses
     * the text direction.
     */
    private static final String CONTROL_TEXT = "\u001b]0;owned\u0007\u001b[2J\u009b31m\b\r\u202eevil\u200b";

    /** Characters that the command must never print from text. Newline and tab are harmless. */
    private static final Pattern FORBIDDEN = Pattern.compile("[\\p{Cntrl}\u0080-\u009f\u202a-\u202e\u200b&&[^\n\t]]");

    /**
     * Control sequences that the command itself sends to a terminal: colors, redrawn lines, and the line ends of the
     * terminal.
     */
    private static final Pattern ALLOWED_TERMINAL_CODES = Pattern.compile("\u001b\\[[0-9;]*m|\u001b\\[K|\r");

    private static final String SCRIPT = """
            // EVIL
            console.log('out EVIL');
            console.error('err EVIL');
            await demo.fail({ message: 'tool EVIL', code: 'mine' }).catch((e) => console.log(e.message));
            if (args !== 1) return { 'key EVIL': 'value EVIL' };
            throw new Error('thrown EVIL');
            """;

    private final Path home = ServerSetup.temporaryDirectory();
    private final String name = "e" + UUID.randomUUID().toString().substring(0, 8);
    private final SallyportCli cli;

    ControlCharactersIT(SallyportServer server) {
        cli = SallyportCli.of(server, home);
    }

    @AfterAll
    void deleteHome() {
        DirectoryCleanup.delete(home);
    }

    /**
     * Writes the control characters as escapes in the code but unescaped in the comment, because the command shows the
     * comment as it was submitted.
     */
    private String writeScript() throws IOException {
        StringBuilder escaped = new StringBuilder();
        CONTROL_TEXT.chars().forEach(unit -> escaped.append(String.format("\\u%04x", unit)));
        String[] parts = SCRIPT.split("\n", 2);
        String code =
                parts[0].replace("EVIL", CONTROL_TEXT.replace("\r", "")) + "\n" + parts[1].replace("EVIL", escaped);
        return Files.writeString(home.resolve("evil.js"), code).toString();
    }

    private CommandResult runHarmless(String... words) {
        return runHarmless(cli, words);
    }

    private static CommandResult runHarmless(SallyportCli who, String... words) {
        CommandResult command = who.run(words);
        String all = command.output() + command.errorOutput();
        assertThat(FORBIDDEN.matcher(all).results().map(hit -> hit.start() + ": " + escaped(hit.group())))
                .as("%s\n%s", escaped(String.join(" ", words)), escaped(all))
                .isEmpty();
        return command;
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars()
                .forEach(unit -> escaped.append(
                        unit == '\n' || unit >= ' ' && unit < 0x7f ? (char) unit : String.format("<%04x>", unit)));
        return escaped.toString();
    }

    private void runPlainAndJson(String... words) {
        runHarmless(words);
        List<String> json = new ArrayList<>(List.of(words));
        json.add("--json");
        runHarmless(json.toArray(String[]::new));
    }

    @Test
    void controlCharactersOfScriptOutputAreEscaped() throws IOException {
        String script = writeScript();

        CommandResult run =
                runHarmless("run", script, "--label", "team=" + CONTROL_TEXT).expectExitCode(0);
        assertThat(run.output())
                .contains("out \\u001b]0;owned\\u0007\\u001b[2J\\u009b31m", "tool \\u001b", "value \\u001B");
        assertThat(run.errorOutput()).contains("err \\u001b");
        assertThat(runHarmless("run", script, "--args", "1").expectExitCode(1).errorOutput())
                .contains("thrown \\u001b");

        String id = cli.runJson(1, "run", script, "--args", "1", "--label", "team=" + CONTROL_TEXT)
                .path("id")
                .asText();
        runPlainAndJson("show", id);
        runPlainAndJson("show", id, "--code");
        runPlainAndJson("logs", id);
        runPlainAndJson("logs", "-f", id);
        runPlainAndJson("trace", id);
        runPlainAndJson("diff", id, cli.runJson("run", script).path("id").asText());
        runPlainAndJson("list", "--limit", "5");
    }

    @Test
    void controlCharactersInNamesAreEscaped() throws IOException {
        String tests = Files.writeString(
                        home.resolve("evil.test.js"),
                        "test('name \\u001b[2J', () => { assert.is('\\u009b1m', '\\u202e'); });\n")
                .toString();
        String batch = Files.writeString(
                        home.resolve("evil.ndjson"),
                        "{\"code\": \"return '\\\\u009b2J\\\\u202e'\"}\n{\"\\u001b[2J\\u202e\": 1}\n")
                .toString();
        String settings = "{\"baseUrl\": \"http://127.0.0.1:9\", \"allowPrivate\": true, \"operations\": {\"ping\":"
                + " {\"description\": \"\\u001b[2J\\u009b2J\\u202e\", \"method\": \"GET\", \"path\": \"/\"}}}";

        runPlainAndJson("test", "examples/hello.js", tests);
        runPlainAndJson("batch", batch);
        runPlainAndJson("capability", "publish", name + "@1.0.0", "examples/hello.js", "--description", CONTROL_TEXT);
        runPlainAndJson("capability", "list", name);
        runPlainAndJson("capability", "show", name + "@1.0.0");
        runPlainAndJson("backends", "add", name, "--kind", "http", "--settings", settings);
        runPlainAndJson("backends");
        runPlainAndJson("backends", "show", name);
        runPlainAndJson("tools", name);
        cli.run("backends", "remove", name).expectExitCode(0);
        runPlainAndJson("capability", "deprecate", name + "@1.0.0", "--reason", CONTROL_TEXT);
    }

    @Test
    void controlCharactersInApprovalsAndKeyNamesAreEscaped() throws IOException {
        String mail = Files.writeString(
                        home.resolve("mail.js"),
                        "return demo.send_mail({ to: '\\u001b[2J', subject: '\\u009b1m\\u202e', body: '\\u200b' })\n")
                .toString();
        String asker = cli.runJson("keys", "create", CONTROL_TEXT, "--role", "submitter", "--role", "approver")
                .path("id")
                .asText();
        runPlainAndJson("keys");
        runHarmless("keys", "grants", asker, CONTROL_TEXT);
        runPlainAndJson("keys", "grants", asker, "demo.*");
        runPlainAndJson("keys", "delete", asker);
        JsonNode other = cli.runJson("keys", "create", CONTROL_TEXT, "--role", "approver");

        String waits = cli.runJson("submit", mail, "--label", "team=" + CONTROL_TEXT)
                .path("id")
                .asText();
        String approval = Await.untilPresent(
                "it asks",
                Duration.ofSeconds(90),
                () -> StreamSupport.stream(
                                cli.runJson("approvals").path("items").spliterator(), false)
                        .filter(item -> item.path("execution").asText().equals(waits))
                        .map(item -> item.path("id").asText())
                        .findFirst());
        runPlainAndJson("approvals");
        runPlainAndJson("approve", CONTROL_TEXT);
        SallyportCli decides = cli.withKey(other.path("key").asText());
        assertThat(runHarmless(decides, "deny", approval, "--note", CONTROL_TEXT)
                        .expectExitCode(0)
                        .errorOutput())
                .contains("DENIED");
        runHarmless(decides, "deny", approval, "--note", CONTROL_TEXT, "--json").expectExitCode(6);
        cli.run("keys", "delete", other.path("id").asText()).expectExitCode(0);
        runPlainAndJson("logs", "-f", waits);
        String dry = cli.runJson("run", mail, "--dry-run").path("id").asText();
        runPlainAndJson("plan", dry);
        runPlainAndJson("rerun", dry, "--args", "\"\\u001b[2J\\u202e\"");
        runPlainAndJson("batch", "--follow", CONTROL_TEXT);
        runPlainAndJson("cancel", dry);
        runPlainAndJson("tenants");
        runPlainAndJson("schedules");
    }

    @Test
    void controlCharactersInErrorMessagesAreEscaped() {
        runPlainAndJson("show", CONTROL_TEXT);
        runPlainAndJson("run", CONTROL_TEXT);
        runPlainAndJson(CONTROL_TEXT);
        runPlainAndJson("list", "--state", CONTROL_TEXT);
        runPlainAndJson("list", "--" + CONTROL_TEXT);
        runPlainAndJson("schedules", "pause", CONTROL_TEXT);
        runPlainAndJson("backends", "add", CONTROL_TEXT, "--kind", CONTROL_TEXT, "--settings", "{}");
        runPlainAndJson("secrets", "delete", CONTROL_TEXT);
        runPlainAndJson("profile", "remove", CONTROL_TEXT);
        runPlainAndJson("completion", CONTROL_TEXT);
        runPlainAndJson("keys", "create", CONTROL_TEXT, "--role", CONTROL_TEXT);
        runPlainAndJson("status", "--url", "http://" + CONTROL_TEXT);
        runPlainAndJson("status", "--key-file", CONTROL_TEXT);
        runPlainAndJson("status", "--profile", CONTROL_TEXT);
    }

    @Test
    void terminalReceivesOnlyControlCodesOfTheCommand() throws IOException {
        String seen = cli.runInTerminal("run", writeScript(), "--args", "1");

        assertThat(seen).contains("out \\u001b]0;owned", "thrown \\u001b");
        assertThat(FORBIDDEN
                        .matcher(ALLOWED_TERMINAL_CODES.matcher(seen).replaceAll(""))
                        .find())
                .as(escaped(seen))
                .isFalse();
        assertThat(cli.runInTerminal("run", writeScript(), "--raw")).contains("--raw is not for a terminal");
    }
}
