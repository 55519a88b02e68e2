package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;
import org.sallyport.toolgraph.ToolGraph;

/** The tools that a search by words finds, and their order. */
class ToolSearchTest {
    private static final Instant NOW = Instant.parse("2026-06-10T12:00:00Z");

    private static final ToolGraph GRAPH = new ToolGraph(
            List.of(
                    new ToolGraph.ToolNode("files.write", 50, 0, 0, 0, NOW),
                    new ToolGraph.ToolNode("mail.send", 30, 0, 0, 0, NOW),
                    new ToolGraph.ToolNode("files.read", 20, 0, 0, 0, NOW)),
            List.of(
                    new ToolGraph.ToolEdge("files.read", "mail.send", 10, 0),
                    new ToolGraph.ToolEdge("books.read", "books.search", 9, 0)),
            List.of(
                    new ToolGraph.ToolIntent("invoices", "mail.send", 8),
                    new ToolGraph.ToolIntent("secretproject", "mail.send", 1)));

    private final ToolCatalog catalog = new ToolCatalog();

    ToolSearchTest() {
        put("books", "read", "Reads a page.", "search", "Finds a page of a book.", "lend", "Lends a page.");
        put("files", "read", "Reads a file.", "write", "Writes a file; send it there.");
        put("mail", "send", "Sends a letter.");
    }

    private void put(String backend, String... tools) {
        catalog.put(
                new CatalogBackend(backend, "java", "queue"),
                java.util.stream.IntStream.range(0, tools.length / 2)
                        .mapToObj(i -> new ToolSpec(
                                new ToolName(backend, tools[2 * i]),
                                tools[2 * i + 1],
                                new Json("{}"),
                                Optional.empty(),
                                ToolHints.IDEMPOTENT))
                        .toList());
    }

    private static String names(List<CatalogTool> tools) {
        return String.join(
                " ", tools.stream().map(tool -> tool.spec().name().toString()).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "read,          books.read files.read",
        "READ  file,    files.read",
        "page,          books.lend books.read books.search",
        "send,          mail.send files.write",
        "invoice,       ''",
        "nothing-so,    ''",
    })
    void nameMatchesRankBeforeDescriptionMatchesWithoutAGraph(String words, String found) {
        assertThat(names(catalog.search(words))).isEqualTo(found);
    }

    @ParameterizedTest
    @CsvSource({
        // The tools with the most calls first, and the neighbors of the best match.
        "read,                  files.read books.read",
        "page,                  books.read books.search books.lend",
        // By an intent, singular or plural, alone or with a word of the name.
        "invoice,               mail.send",
        "invoices,              mail.send",
        "send invoice,          mail.send",
        "invoice file,          ''",
        // A word that comes from a single execution, or is too short.
        "secretproject,         ''",
        "inv,                   ''",
    })
    void usageAndIntentsAffectTheRankWithAGraph(String words, String found) {
        assertThat(names(catalog.search(words, GRAPH))).isEqualTo(found);
    }

    @Test
    void blankSearchListsAllToolsByName() {
        assertThat(catalog.search("  ", GRAPH)).isEqualTo(catalog.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"größe", "gr__e", "(cm)", "my_maß.größe", "ORDERS-2 größe"})
    void toolIsFoundByEachOfItsNames(String words) {
        catalog.putNamed(
                new CatalogBackend("orders-2", "java", "queue", List.of(), "my_maß"),
                List.of(new NamedTool(
                        new ToolSpec(new ToolName("orders-2", "gr__e"), "", new Json("{}"), ToolHints.EFFECT),
                        "größe",
                        "größe (cm)",
                        Optional.empty())));
        assertThat(names(catalog.search(words))).isEqualTo("orders-2.gr__e");
    }
}
