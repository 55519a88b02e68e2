package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.CommandResult;
import org.sallyport.it.harness.DirectoryCleanup;
import org.sallyport.it.harness.DocumentationPage;
import org.sallyport.it.harness.DocumentationPage.CodeBlock;
import org.sallyport.it.harness.SallyportCli;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;

/**
 * Runs every file of the examples with the command and compares the result with its row in the table of the examples
 * page.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExamplesIT {
    /**
     * A command line and its expected result.
     *
     * @param expectedOutput lines that the output must contain in this order; {@code …} stands for any text
     */
    record ExampleRun(String arguments, int exitCode, String expectedOutput, String expectedErrorOutput) {
        Set<String> files() {
            return Stream.of(arguments.split(" ", -1))
                    .filter(word -> word.startsWith("examples/"))
                    .map(word -> word.substring("examples/".length()))
                    .collect(Collectors.toSet());
        }

        @Override
        public String toString() {
            return arguments;
        }
    }

    private static final List<ExampleRun> RUNS = List.of(
            new ExampleRun(
                    "run examples/hello.ts --args {\"name\":\"Ada\"}",
                    0,
                    "Hello, Ada!\n19 + 23 = 42\n…worth the wait",
                    "This line goes to standard error.\nCOMPLETED\ndemo.add\ndemo.clock\ndemo.slow"),
            new ExampleRun(
                    "run examples/hello.js --args {\"name\":\"Grace\"}",
                    0,
                    "Hello, Grace!\n{\"greeting\":\"Hello, Grace!\",\"sum\":3}",
                    "COMPLETED"),
            new ExampleRun("run examples/parallel.ts", 0, "lane …: call … is back\n[0,1,2,3,4,5]", "COMPLETED"),
            new ExampleRun(
                    "run examples/parallel.ts --args {\"calls\":2,\"atOnce\":1}",
                    0,
                    "lane 0: call 0 is back\nlane 0: call 1 is back\n[0,1]",
                    "COMPLETED"),
            new ExampleRun("run examples/retry.ts", 0, "{\"attempt\":3,", "attempt 1: \nattempt 2: \nCOMPLETED"),
            new ExampleRun("run examples/retry.ts --args {\"failures\":5}", 1, "", "attempt 4: \nFAILED"),
            new ExampleRun(
                    "run examples/notes.ts --args {\"key\":\"shopping\",\"text\":\"bread\"}",
                    0,
                    "before:\nafter:…bread",
                    "COMPLETED"),
            new ExampleRun(
                    "run examples/notes.ts --args {\"key\":\"shopping\",\"text\":\"salt\"}",
                    0,
                    "before:…bread\nafter:…salt",
                    "COMPLETED"),
            new ExampleRun("run examples/call.json", 0, "42", "COMPLETED"),
            new ExampleRun("run examples/fees.ts --args {\"price\":2}", 0, "3", "COMPLETED"),
            new ExampleRun("run examples/fees.ts --args {\"price\":0}", 1, "", "FAILED\na price is more than nothing"),
            new ExampleRun(
                    "test examples/fees.ts examples/fees.test.ts",
                    0,
                    "",
                    "ok    adds the fee\nok    refuses what is free\nPASSED  2 passed, 0 failed, 0 skipped"),
            new ExampleRun("run examples/endless.js --timeout 1s", 4, "Here I go.", "TIMED_OUT"));

    /** Files that the code blocks of a documentation page run, with that page. */
    private static final Map<String, String> PAGE_BY_FILE = Map.of(
            "report.ts", "docs/tutorial.md",
            "external-connector/connector.mjs", "docs/connector-other-language.md",
            "external-connector/package.json", "docs/connector-other-language.md");

    private static final Set<String> NON_EXAMPLES = Set.of("README.md");
    /** A Maven module of this build. {@link ExtensionJarIT} calls its jar. */
    private static final String JAVA_MODULE = "java-connector";

    private final Path home = ServerSetup.temporaryDirectory();
    private final SallyportCli cli;

    ExamplesIT(SallyportServer server) {
        cli = SallyportCli.of(server, home);
    }

    @AfterAll
    void deleteHome() {
        DirectoryCleanup.delete(home);
    }

    static List<ExampleRun> rows() {
        return RUNS;
    }

    @ParameterizedTest
    @MethodSource("rows")
    void exampleGivesTheDocumentedOutput(ExampleRun row) {
        CommandResult command = cli.run(row.arguments().split(" ", -1)).expectExitCode(row.exitCode());

        assertThat(DocumentationPage.findMissingLine(row.expectedOutput(), command.output()))
                .as(command.toString())
                .isEmpty();
        assertThat(DocumentationPage.findMissingLine(row.expectedErrorOutput(), command.errorOutput()))
                .as(command.toString())
                .isEmpty();
    }

    @Test
    void everyExampleFileIsTested() throws IOException {
        Path examples = CheckoutPaths.root().resolve("examples");
        Set<String> files;
        try (Stream<Path> all = Files.walk(examples)) {
            files = all.filter(file ->
                            Files.isRegularFile(file) && !file.toString().contains("node_modules"))
                    .filter(file -> !file.startsWith(examples.resolve(JAVA_MODULE)))
                    .map(file -> examples.relativize(file).toString())
                    .filter(file -> !NON_EXAMPLES.contains(file))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        Set<String> run = new TreeSet<>(PAGE_BY_FILE.keySet());
        RUNS.forEach(row -> run.addAll(row.files()));

        assertThat(run).isEqualTo(files);
    }

    @Test
    void exampleAssignedToAPageIsRunByThatPage() {
        PAGE_BY_FILE.forEach((file, page) -> assertThat(DocumentationPage.of(page).blocks().stream()
                        .filter(CodeBlock::isRunnable)
                        .map(CodeBlock::content))
                .as(file)
                .anySatisfy(block ->
                        assertThat(block).contains("examples/" + file.replace("package.json", "connector.mjs"))));
    }
}
