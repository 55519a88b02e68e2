package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.DirectoryCleanup;
import org.sallyport.it.harness.DocumentationPage;
import org.sallyport.it.harness.DocumentationPage.CodeBlock;
import org.sallyport.it.harness.NodeJsPackages;
import org.sallyport.it.harness.ServerSetup;

/** Runs the commands of the documentation pages, in one shell per page, and compares the output with the page. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DocumentationIT {
    private static final String BLOCK_END_MARKER = "=== end of block ";
    static final String TUTORIAL = "docs/tutorial.md";
    private static final String INSTALL_RHEA = "npm install --prefix texts rhea@3.0.5";
    private static final String EVERYTHING_SERVER =
            "\"command\": \"npx\", \"args\": [\"-y\", \"@modelcontextprotocol/server-everything\", \"stdio\"]";

    private final Path workingDirectory = ServerSetup.temporaryDirectory();
    private final int port = ServerSetup.freePort();
    private final int connectorPort = ServerSetup.freePort();
    private final Map<String, String> environment = Map.of(
            "SALLYPORT_DATA",
            workingDirectory.resolve("data").toString(),
            "SALLYPORT_PORT",
            Integer.toString(port),
            "SALLYPORT_JAVA_OPTS",
            ServerSetup.QUICK_START_OPTION,
            "XDG_CONFIG_HOME",
            "");

    @BeforeAll
    void linkCheckout() throws IOException {
        for (String name : List.of("sallyport", "examples")) {
            Files.createSymbolicLink(
                    workingDirectory.resolve(name),
                    CheckoutPaths.root().toRealPath().resolve(name));
        }
    }

    @AfterAll
    void stopService() {
        CommandResult.run(environment, List.of("./sallyport", "down"));
        DirectoryCleanup.delete(workingDirectory);
    }

    /** Runs first, because the tutorial starts the service that the other pages use. */
    @Test
    @Order(1)
    void tutorialCommandsPrintTheDocumentedOutput() throws IOException {
        runPage(TUTORIAL);
    }

    static List<String> followed() {
        return List.of(
                "docs/budgets.md",
                "docs/command-line.md",
                "docs/connector-other-language.md",
                "docs/debugging.md",
                "docs/mcp-servers.md",
                "docs/policies.md",
                "docs/rest.md");
    }

    @ParameterizedTest
    @Order(2)
    @MethodSource("followed")
    void pageCommandsPrintTheDocumentedOutput(String path) throws IOException {
        CommandResult.run(environment, List.of("./sallyport", "up")).expectExitCode(0);
        runPage(path);
    }

    private void runPage(String path) throws IOException {
        List<CodeBlock> blocks = DocumentationPage.of(path).blocks();
        writeFiles(path, blocks);
        List<CodeBlock> runs = blocks.stream().filter(CodeBlock::isRunnable).toList();
        assertThat(runs).as(path).isNotEmpty();
        Path script = Files.writeString(workingDirectory.resolve("page.sh"), buildScript(runs));
        CommandResult shell = CommandResult.run(environment, List.of("bash", script.toString()));

        for (int i = 0; i < blocks.size(); i++) {
            if (blocks.get(i).isExpectedOutput()) {
                CodeBlock shown = blocks.get(i);
                String printed = outputOfBlock(shell, runs.indexOf(blocks.get(i - 1)));
                assertThat(DocumentationPage.findMissingLine(adaptToTest(shown.content()), printed))
                        .as(
                                "%s shows output that this block did not print:\n%s\nIt printed:\n%s",
                                path, blocks.get(i - 1).content(), printed)
                        .isEmpty();
            }
        }
        for (int i = 0; i < runs.size(); i++) {
            assertThat(shell.output()).as(path).contains(BLOCK_END_MARKER + i + ": 0\n");
        }
    }

    private void writeFiles(String path, List<CodeBlock> blocks) throws IOException {
        for (CodeBlock block : blocks) {
            int at = block.info().indexOf("file=");
            if (at >= 0) {
                String name = block.info().substring(at + 5);
                Path there = CheckoutPaths.root().resolve(name);
                if (Files.exists(there)) {
                    assertThat(Files.readString(there)).as(path).endsWith("\n\n" + block.content());
                } else {
                    Path file = workingDirectory.resolve(name);
                    Files.createDirectories(file.resolve("..").normalize());
                    Files.writeString(file, adaptToTest(block.content()));
                }
            }
            int part = block.info().indexOf("part=");
            if (part >= 0) {
                Path whole = CheckoutPaths.root().resolve(block.info().substring(part + 5));
                assertThat(Files.readString(whole)).as(path).contains(block.content());
            }
        }
    }

    /**
     * Builds one shell script for all blocks, so that variables set in one block are available in the next. After each
     * block the shell prints its exit code.
     */
    private String buildScript(List<CodeBlock> runs) {
        StringBuilder script = new StringBuilder("exec 2>&1\ncd '" + workingDirectory + "'\n");
        for (int i = 0; i < runs.size(); i++) {
            script.append(adaptToTest(runs.get(i).content()))
                    .append("echo \"")
                    .append(BLOCK_END_MARKER)
                    .append(i)
                    .append(": $?\"\n");
        }
        return script.toString();
    }

    private String adaptToTest(String text) {
        String there =
                text.replace("127.0.0.1:8080", "127.0.0.1:" + port).replace("5672", Integer.toString(connectorPort));
        if (there.contains(INSTALL_RHEA)) {
            // Uses the package that all tests share instead of another installation.
            there = there.replace(
                    INSTALL_RHEA,
                    "ln -s '" + NodeJsPackages.connectorDirectory() + "/node_modules' texts/node_modules");
        }
        if (!there.contains(EVERYTHING_SERVER)) {
            return there;
        }
        // Uses the installation of this server that all tests share.
        String settings = NodeJsPackages.backendSettings("everything", List.of("stdio"), "");
        return there.replace(EVERYTHING_SERVER, settings.substring(1, settings.length() - 1));
    }

    private static String outputOfBlock(CommandResult shell, int block) {
        int end = shell.output().indexOf(BLOCK_END_MARKER + block + ": ");
        assertThat(end).as(shell.output()).isNotNegative();
        int before = shell.output().lastIndexOf(BLOCK_END_MARKER, end - 1);
        return shell.output().substring(Math.max(0, before), end);
    }
}
