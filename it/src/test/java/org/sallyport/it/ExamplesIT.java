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
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Command;
import org.sallyport.it.harness.CommandLine;
import org.sallyport.it.harness.Directories;
import org.sallyport.it.harness.Page;
import org.sallyport.it.harness.Page.Block;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;

/** Every file of the examples is run by the command, and does what its row in their table says. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExamplesIT {
    /**
     * A command line and what comes of it.
     *
     * @param out of what the output must have lines, in this order; {@code …} stands for anything
     */
    record Row(String words, int exit, String out, String err) {
        Set<String> files() {
            return Stream.of(words.split(" ", -1))
                    .filter(word -> word.startsWith("examples/"))
                    .map(word -> word.substring("examples/".length()))
                    .collect(Collectors.toSet());
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final List<Row> ROWS = List.of(
            new Row(
                    "run examples/hello.ts --args {\"name\":\"Ada\"}",
                    0,
                    "Hello, Ada!\n19 + 23 = 42\n…worth the wait",
                    "This line goes to standard error.\nCOMPLETED\ndemo.add\ndemo.clock\ndemo.slow"),
            new Row(
                    "run examples/hello.js --args {\"name\":\"Grace\"}",
                    0,
                    "Hello, Grace!\n{\"greeting\":\"Hello, Grace!\",\"sum\":3}",
                    "COMPLETED"),
            new Row("run examples/parallel.ts", 0, "lane …: call … is back\n[0,1,2,3,4,5]", "COMPLETED"),
            new Row(
                    "run examples/parallel.ts --args {\"calls\":2,\"atOnce\":1}",
                    0,
                    "lane 0: call 0 is back\nlane 0: call 1 is back\n[0,1]",
                    "COMPLETED"),
            new Row("run examples/retry.ts", 0, "{\"attempt\":3,", "attempt 1: \nattempt 2: \nCOMPLETED"),
            new Row("run examples/retry.ts --args {\"failures\":5}", 1, "", "attempt 4: \nFAILED"),
            new Row(
                    "run examples/notes.ts --args {\"key\":\"shopping\",\"text\":\"bread\"}",
                    0,
                    "before:\nafter:…bread",
                    "COMPLETED"),
            new Row(
                    "run examples/notes.ts --args {\"key\":\"shopping\",\"text\":\"salt\"}",
                    0,
                    "before:…bread\nafter:…salt",
                    "COMPLETED"),
            new Row("run examples/call.json", 0, "42", "COMPLETED"),
            new Row("run examples/fees.ts --args {\"price\":2}", 0, "3", "COMPLETED"),
            new Row("run examples/fees.ts --args {\"price\":0}", 1, "", "FAILED\na price is more than nothing"),
            new Row(
                    "test examples/fees.ts examples/fees.test.ts",
                    0,
                    "",
                    "ok    adds the fee\nok    refuses what is free\nPASSED  2 passed, 0 failed, 0 skipped"),
            new Row("run examples/endless.js --timeout 1s", 4, "Here I go.", "TIMED_OUT"));

    /** Those that the blocks of a page run. */
    private static final Map<String, String> ON_PAGES = Map.of(
            "report.ts", "docs/tutorial.md",
            "external-connector/connector.mjs", "docs/connector-other-language.md",
            "external-connector/package.json", "docs/connector-other-language.md");

    private static final Set<String> ABOUT_THEM = Set.of("README.md");

    private final Path home = ServerSetup.temporaryDirectory();
    private final CommandLine sallyport;

    ExamplesIT(SallyportServer server) {
        sallyport = CommandLine.of(server, home);
    }

    @AfterAll
    void tidy() {
        Directories.delete(home);
    }

    static List<Row> rows() {
        return ROWS;
    }

    @ParameterizedTest
    @MethodSource("rows")
    void anExampleDoesWhatItIsFor(Row row) {
        Command command = sallyport.run(row.words().split(" ", -1)).expect(row.exit());

        assertThat(Page.missing(row.out(), command.out()))
                .as(command.toString())
                .isEmpty();
        assertThat(Page.missing(row.err(), command.err()))
                .as(command.toString())
                .isEmpty();
    }

    @Test
    void noExampleIsLeftOut() throws IOException {
        Path examples = Checkout.home().resolve("examples");
        Set<String> files;
        try (Stream<Path> all = Files.walk(examples)) {
            files = all.filter(file ->
                            Files.isRegularFile(file) && !file.toString().contains("node_modules"))
                    .map(file -> examples.relativize(file).toString())
                    .filter(file -> !ABOUT_THEM.contains(file))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        Set<String> run = new TreeSet<>(ON_PAGES.keySet());
        ROWS.forEach(row -> run.addAll(row.files()));

        assertThat(run).isEqualTo(files);
    }

    @Test
    void whatIsLeftToAPageIsRunThere() {
        ON_PAGES.forEach((file, page) -> assertThat(
                        Page.of(page).blocks().stream().filter(Block::runs).map(Block::content))
                .as(file)
                .anySatisfy(block ->
                        assertThat(block).contains("examples/" + file.replace("package.json", "connector.mjs"))));
    }
}
