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
import org.sallyport.it.harness.Command;
import org.sallyport.it.harness.CommandLine;
import org.sallyport.it.harness.Directories;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;

/** What others wrote reaches no terminal as it is: what a terminal would obey, or hide, the command shows. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ControlCharactersIT {
    /** Sets the title, clears, begins a sequence in one character, goes back, and turns the order of what follows. */
    private static final String EVIL = "\u001b]0;owned\u0007\u001b[2J\u009b31m\b\r\u202eevil\u200b";

    /** What no text of ours holds; newline and tab are harmless. */
    private static final Pattern OBEYED = Pattern.compile("[\\p{Cntrl}\u0080-\u009f\u202a-\u202e\u200b&&[^\n\t]]");

    /** What of it the command sends to a terminal itself: colours, a line drawn anew, and the terminal's own line ends. */
    private static final Pattern OURS = Pattern.compile("\u001b\\[[0-9;]*m|\u001b\\[K|\r");

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
    private final CommandLine sallyport;

    ControlCharactersIT(SallyportServer server) {
        sallyport = CommandLine.of(server, home);
    }

    @AfterAll
    void tidy() {
        Directories.delete(home);
    }

    /** In the code as escapes, but for the comment: that is shown as it was sent. */
    private String script() throws IOException {
        StringBuilder escaped = new StringBuilder();
        EVIL.chars().forEach(unit -> escaped.append(String.format("\\u%04x", unit)));
        String[] parts = SCRIPT.split("\n", 2);
        String code = parts[0].replace("EVIL", EVIL.replace("\r", "")) + "\n" + parts[1].replace("EVIL", escaped);
        return Files.writeString(home.resolve("evil.js"), code).toString();
    }

    private Command harmless(String... words) {
        return harmless(sallyport, words);
    }

    private static Command harmless(CommandLine who, String... words) {
        Command command = who.run(words);
        String all = command.out() + command.err();
        assertThat(OBEYED.matcher(all).results().map(hit -> hit.start() + ": " + escaped(hit.group())))
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

    private void bothWays(String... words) {
        harmless(words);
        List<String> json = new ArrayList<>(List.of(words));
        json.add("--json");
        harmless(json.toArray(String[]::new));
    }

    @Test
    void whatAScriptWroteIsShown() throws IOException {
        String script = script();

        Command run = harmless("run", script, "--label", "team=" + EVIL).expect(0);
        assertThat(run.out())
                .contains("out \\u001b]0;owned\\u0007\\u001b[2J\\u009b31m", "tool \\u001b", "value \\u001B");
        assertThat(run.err()).contains("err \\u001b");
        assertThat(harmless("run", script, "--args", "1").expect(1).err()).contains("thrown \\u001b");

        String id = sallyport
                .json(1, "run", script, "--args", "1", "--label", "team=" + EVIL)
                .path("id")
                .asText();
        bothWays("show", id);
        bothWays("show", id, "--code");
        bothWays("logs", id);
        bothWays("logs", "-f", id);
        bothWays("trace", id);
        bothWays("diff", id, sallyport.json("run", script).path("id").asText());
        bothWays("list", "--limit", "5");
    }

    @Test
    void whatOthersNamedIsShown() throws IOException {
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

        bothWays("test", "examples/hello.js", tests);
        bothWays("batch", batch);
        bothWays("capability", "publish", name + "@1.0.0", "examples/hello.js", "--description", EVIL);
        bothWays("capability", "list", name);
        bothWays("capability", "show", name + "@1.0.0");
        bothWays("backends", "add", name, "--kind", "http", "--settings", settings);
        bothWays("backends");
        bothWays("backends", "show", name);
        bothWays("tools", name);
        sallyport.run("backends", "remove", name).expect(0);
        bothWays("capability", "deprecate", name + "@1.0.0", "--reason", EVIL);
    }

    @Test
    void whatPeopleAreAskedAndKeysAreCalledIsShown() throws IOException {
        String mail = Files.writeString(
                        home.resolve("mail.js"),
                        "return demo.send_mail({ to: '\\u001b[2J', subject: '\\u009b1m\\u202e', body: '\\u200b' })\n")
                .toString();
        String asker = sallyport
                .json("keys", "create", EVIL, "--role", "submitter", "--role", "approver")
                .path("id")
                .asText();
        bothWays("keys");
        harmless("keys", "grants", asker, EVIL);
        bothWays("keys", "grants", asker, "demo.*");
        bothWays("keys", "delete", asker);
        JsonNode other = sallyport.json("keys", "create", EVIL, "--role", "approver");

        String waits = sallyport
                .json("submit", mail, "--label", "team=" + EVIL)
                .path("id")
                .asText();
        String approval = Await.value(
                "it asks",
                Duration.ofSeconds(90),
                () -> StreamSupport.stream(
                                sallyport.json("approvals").path("items").spliterator(), false)
                        .filter(item -> item.path("execution").asText().equals(waits))
                        .map(item -> item.path("id").asText())
                        .findFirst());
        bothWays("approvals");
        bothWays("approve", EVIL);
        CommandLine decides = sallyport.as(other.path("key").asText());
        assertThat(harmless(decides, "deny", approval, "--note", EVIL).expect(0).err())
                .contains("DENIED");
        harmless(decides, "deny", approval, "--note", EVIL, "--json").expect(6);
        sallyport.run("keys", "delete", other.path("id").asText()).expect(0);
        bothWays("logs", "-f", waits);
        String dry = sallyport.json("run", mail, "--dry-run").path("id").asText();
        bothWays("plan", dry);
        bothWays("rerun", dry, "--args", "\"\\u001b[2J\\u202e\"");
        bothWays("batch", "--follow", EVIL);
        bothWays("cancel", dry);
        bothWays("tenants");
        bothWays("schedules");
    }

    @Test
    void whatIsWrongIsShown() {
        bothWays("show", EVIL);
        bothWays("run", EVIL);
        bothWays(EVIL);
        bothWays("list", "--state", EVIL);
        bothWays("list", "--" + EVIL);
        bothWays("schedules", "pause", EVIL);
        bothWays("backends", "add", EVIL, "--kind", EVIL, "--settings", "{}");
        bothWays("secrets", "delete", EVIL);
        bothWays("profile", "remove", EVIL);
        bothWays("completion", EVIL);
        bothWays("keys", "create", EVIL, "--role", EVIL);
        bothWays("status", "--url", "http://" + EVIL);
        bothWays("status", "--key-file", EVIL);
        bothWays("status", "--profile", EVIL);
    }

    @Test
    void aTerminalIsSentOnlyWhatIsOurs() throws IOException {
        String seen = sallyport.atTerminal("run", script(), "--args", "1");

        assertThat(seen).contains("out \\u001b]0;owned", "thrown \\u001b");
        assertThat(OBEYED.matcher(OURS.matcher(seen).replaceAll("")).find())
                .as(escaped(seen))
                .isFalse();
        assertThat(sallyport.atTerminal("run", script(), "--raw")).contains("--raw is not for a terminal");
    }
}
