package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.testsupport.TestPrerequisite;

/**
 * Creates the table of {@code docs/script.md} with what differs from Node: runs each script of {@code
 * node-differences.table} in the sandbox and in Node. With {@code -Dregenerate=true} it writes the table into the page.
 */
class NodeDifferencesTest {
    private static final Path PAGE = Path.of("..", "docs", "script.md");
    private static final String START = "<!-- differences from Node -->\n";
    private static final String END = "<!-- end of differences from Node -->\n";
    private static final String NODE_VERSION = "v20.";

    /** Runs the scripts that it reads from standard input, and writes their outcomes. */
    private static final String NODE_SCRIPT = """
            const AsyncFunction = (async () => {}).constructor;
            (async () => {
              const outcomes = [];
              for (const code of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
                try {
                  outcomes.push(JSON.stringify(await new AsyncFunction('require', code)(require)));
                } catch (error) {
                  outcomes.push(error.name + ': ' + error.message);
                }
              }
              console.log(JSON.stringify(outcomes));
              process.exit();
            })();""";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A script that has another outcome in Node; {@code topic} says what it shows. */
    private record NodeDifference(String topic, String code) {}

    @SuppressWarnings("NullAway.Init")
    private static List<String> sandboxOutcomes;

    @BeforeAll
    static void runScripts() throws Exception {
        try (Sandbox sandbox = new InProcessSandbox(1)) {
            sandboxOutcomes = runInSandbox(sandbox);
        }
    }

    @Test
    void pageShowsTheOutcomesInTheSandbox() throws Exception {
        List<String> ofNode = Boolean.getBoolean("regenerate") ? runInNode() : nodeColumn();
        String page = Files.readString(PAGE);
        String expected = page.substring(0, page.indexOf(START))
                + START
                + table(ofNode, sandboxOutcomes)
                + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("regenerate")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/script.md is out of date; run this test with -Dregenerate=true")
                .isEqualTo(expected);
    }

    @Test
    void pageShowsTheOutcomesInNode() throws Exception {
        assertThat(nodeColumn()).isEqualTo(runInNode());
    }

    @Test
    void everyOutcomeDiffers() throws Exception {
        List<String> ofNode = nodeColumn();
        assertThat(ofNode).hasSameSizeAs(sandboxOutcomes);
        for (int i = 0; i < ofNode.size(); i++) {
            assertThat(ofNode.get(i)).as(differences().get(i).code()).isNotEqualTo(sandboxOutcomes.get(i));
        }
    }

    private static List<NodeDifference> differences() {
        return Arrays.stream(ScriptTable.resource("node-differences.table").split("\n\n+"))
                .map(block -> block.strip().split("\n", 2))
                .map(lines -> new NodeDifference(lines[0].substring(2), lines[1]))
                .toList();
    }

    private static List<String> runInSandbox(Sandbox sandbox) throws Exception {
        List<String> outcomes = new ArrayList<>();
        for (NodeDifference each : differences()) {
            SessionResult end = RecordingListener.start(sandbox, GuestContract.request(each.code(), Toolbox.EMPTY))
                    .end();
            outcomes.add(
                    end instanceof SessionResult.ScriptReturned returned
                            ? returned.result()
                            : ((SessionResult.ScriptThrew) end).message());
        }
        return outcomes;
    }

    private static List<String> runInNode() throws Exception {
        TestPrerequisite.require(isNodePresent(), "Node 20: install node " + NODE_VERSION + "x");
        List<String> codes = differences().stream().map(NodeDifference::code).toList();
        return List.of(JSON.readValue(runNode(JSON.writeValueAsString(codes), "-e", NODE_SCRIPT), String[].class));
    }

    private static boolean isNodePresent() throws Exception {
        return TestPrerequisite.hasProgram("node") && runNode("", "--version").startsWith(NODE_VERSION);
    }

    private static String runNode(String input, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("node"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var standardInput = process.getOutputStream()) {
            standardInput.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return output;
    }

    private static String table(List<String> ofNode, List<String> ofSandbox) {
        StringBuilder table = new StringBuilder("| | script | Node 20 | Sallyport |\n|---|---|---|---|\n");
        String topic = "";
        for (int i = 0; i < differences().size(); i++) {
            NodeDifference each = differences().get(i);
            table.append("| ")
                    .append(each.topic().equals(topic) ? "" : each.topic() + " ")
                    .append(cell(each.code()))
                    .append(cell(ofNode.get(i)))
                    .append(cell(ofSandbox.get(i)))
                    .append("|\n");
            topic = each.topic();
        }
        return table.toString();
    }

    private static String cell(String text) {
        return "| `" + text.replace("|", "\\|") + "` ";
    }

    /** Returns the outcomes in Node that the page shows. */
    private static List<String> nodeColumn() throws Exception {
        String page = Files.readString(PAGE);
        return page.substring(page.indexOf(START), page.indexOf(END))
                .lines()
                .filter(line -> line.contains("` | `"))
                .map(line -> line.split("` \\| `")[1].replace("\\|", "|"))
                .toList();
    }
}
