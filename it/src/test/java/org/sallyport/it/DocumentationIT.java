package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
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
import org.sallyport.it.harness.Checkout;
import org.sallyport.it.harness.Command;
import org.sallyport.it.harness.Directories;
import org.sallyport.it.harness.NodeServers;
import org.sallyport.it.harness.Page;
import org.sallyport.it.harness.Page.Block;
import org.sallyport.it.harness.ServerSetup;

/** What the pages tell readers to type is typed, in a shell for each page, and prints what they show. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DocumentationIT {
    private static final String MARK = "=== end of block ";
    private static final String TUTORIAL = "docs/tutorial.md";
    private static final String RHEA = "npm install --prefix texts rhea@3.0.5";
    private static final String EVERYTHING =
            "\"command\": \"npx\", \"args\": [\"-y\", \"@modelcontextprotocol/server-everything\", \"stdio\"]";

    private final Path place = ServerSetup.temporaryDirectory();
    private final int port = ServerSetup.freePort();
    private final int connectors = ServerSetup.freePort();
    private final Map<String, String> environment = Map.of(
            "SALLYPORT_DATA", place.resolve("data").toString(),
            "SALLYPORT_PORT", Integer.toString(port),
            "XDG_CONFIG_HOME", "");

    @BeforeAll
    void looksLikeACheckout() throws IOException {
        for (String name : List.of("sallyport", "examples")) {
            Files.createSymbolicLink(
                    place.resolve(name), Checkout.home().toRealPath().resolve(name));
        }
    }

    @AfterAll
    void down() {
        Command.run(environment, List.of("./sallyport", "down"));
        Directories.delete(place);
    }

    /** The tutorial begins with the start of the service that the other pages use. */
    @Test
    @Order(1)
    void theTutorialGoesAsItSays() throws IOException {
        follow(TUTORIAL);
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
    void aPageGoesAsItSays(String path) throws IOException {
        Command.run(environment, List.of("./sallyport", "up")).expect(0);
        follow(path);
    }

    private void follow(String path) throws IOException {
        List<Block> blocks = Page.of(path).blocks();
        files(path, blocks);
        List<Block> runs = blocks.stream().filter(Block::runs).toList();
        assertThat(runs).as(path).isNotEmpty();
        Path script = Files.writeString(place.resolve("page.sh"), script(runs));
        Command shell = Command.run(environment, List.of("bash", script.toString()));

        for (int i = 0; i < blocks.size(); i++) {
            if (blocks.get(i).shows()) {
                Block shown = blocks.get(i);
                String printed = printed(shell, runs.indexOf(blocks.get(i - 1)));
                assertThat(Page.missing(here(shown.content()), printed))
                        .as(
                                "%s shows what did not come of\n%s\nbut\n%s",
                                path, blocks.get(i - 1).content(), printed)
                        .isEmpty();
            }
        }
        for (int i = 0; i < runs.size(); i++) {
            assertThat(shell.out()).as(path).contains(MARK + i + ": 0\n");
        }
    }

    private void files(String path, List<Block> blocks) throws IOException {
        for (Block block : blocks) {
            int at = block.info().indexOf("file=");
            if (at >= 0) {
                String name = block.info().substring(at + 5);
                Path there = Checkout.home().resolve(name);
                if (Files.exists(there)) {
                    assertThat(Files.readString(there)).as(path).endsWith("\n\n" + block.content());
                } else {
                    Path file = place.resolve(name);
                    Files.createDirectories(file.resolve("..").normalize());
                    Files.writeString(file, here(block.content()));
                }
            }
            int part = block.info().indexOf("part=");
            if (part >= 0) {
                Path whole = Checkout.home().resolve(block.info().substring(part + 5));
                assertThat(Files.readString(whole)).as(path).contains(block.content());
            }
        }
    }

    /** One shell for all blocks, so that what one sets the next has; each says how it ended. */
    private String script(List<Block> runs) {
        StringBuilder script = new StringBuilder("exec 2>&1\ncd '" + place + "'\n");
        for (int i = 0; i < runs.size(); i++) {
            script.append(here(runs.get(i).content()))
                    .append("echo \"")
                    .append(MARK)
                    .append(i)
                    .append(": $?\"\n");
        }
        return script.toString();
    }

    private String here(String text) {
        String there =
                text.replace("127.0.0.1:8080", "127.0.0.1:" + port).replace("5672", Integer.toString(connectors));
        if (there.contains(RHEA)) {
            // As it was installed for all tests.
            there = there.replace(RHEA, "ln -s '" + NodeServers.connectors() + "/node_modules' texts/node_modules");
        }
        if (!there.contains(EVERYTHING)) {
            return there;
        }
        // The same server, as it was installed for all tests.
        String settings = NodeServers.settings("everything", List.of("stdio"), "");
        return there.replace(EVERYTHING, settings.substring(1, settings.length() - 1));
    }

    private static String printed(Command shell, int block) {
        int end = shell.out().indexOf(MARK + block + ": ");
        assertThat(end).as(shell.out()).isNotNegative();
        int before = shell.out().lastIndexOf(MARK, end - 1);
        return shell.out().substring(Math.max(0, before), end);
    }

    @Test
    @Order(3)
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> dead = new ArrayList<>();
        List<Page> pages = new ArrayList<>();
        for (String path : paths()) {
            pages.add(Page.of(path));
        }
        for (Page page : pages) {
            for (String link : page.links()) {
                if (!link.matches("[a-z]+:.*") && !leads(page, link)) {
                    dead.add(page.file().getFileName() + " → " + link);
                }
            }
        }
        assertThat(pages).hasSizeGreaterThan(30);
        assertThat(dead).isEmpty();
    }

    /** From the top of the checkout. */
    private static List<String> paths() throws IOException {
        List<String> paths = new ArrayList<>(List.of("README.md", "examples/README.md"));
        try (Stream<Path> files = Files.walk(Checkout.home().resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md"))
                    .map(file -> Checkout.home().relativize(file).toString())
                    .forEach(paths::add);
        }
        return paths;
    }

    /**
     * What a reader may copy is shown to be right: it is done above, a test reads it, or the list says why not. A line of the list is
     * {@code page | what stands behind the fence | test, or "not:" and why}.
     */
    @Test
    @Order(5)
    void everyBlockIsDoneOrReadByATestOrExcused() throws IOException {
        Map<String, String> told = new TreeMap<>();
        for (String line : Files.readAllLines(Checkout.home().resolve("it/src/test/resources/documented-blocks.txt"))) {
            int end = line.lastIndexOf(" | ");
            told.put(line.substring(0, end), line.substring(end + 3));
        }
        Set<String> others = new TreeSet<>();
        for (String path : paths()) {
            boolean followed = path.equals(TUTORIAL) || followed().contains(path);
            Page.of(path).blocks().stream()
                    .filter(block -> !followed
                            || !(block.runs() || block.shows() || block.info().contains("=")))
                    .forEach(block -> others.add(path + " | " + block.info()));
        }
        assertThat(told.keySet()).containsExactlyElementsOf(others);
        Map<String, String> sources = sources();
        told.forEach((block, how) -> {
            String page = block.substring(block.lastIndexOf('/', block.indexOf(" | ")) + 1, block.indexOf(" | "));
            if (how.startsWith("not: ")) {
                assertThat(how).as(block).hasSizeGreaterThan("not: why".length());
            } else {
                assertThat(sources.getOrDefault(how, ""))
                        .as(block + " by " + how)
                        .contains(page);
            }
        });
    }

    /** Of all tests, by their names. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (String module : List.of("cli", "ejb", "it", "jms-config", "sandbox", "web")) {
            try (Stream<Path> files = Files.walk(Checkout.home().resolve(module).resolve("src/test/java"))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    sources.merge(
                            file.getFileName().toString().replace(".java", ""), Files.readString(file), String::concat);
                }
            }
        }
        return sources;
    }

    private static boolean leads(Page page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? page.file()
                : page.file().resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1
                || Page.of(Checkout.home().relativize(target).toString())
                        .anchors()
                        .contains(parts[1]);
    }

    @Test
    @Order(4)
    void everyPageIsInTheMap() throws IOException {
        List<String> linked = Page.of("docs/index.md").links();
        try (Stream<Path> files = Files.list(Checkout.home().resolve("docs"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("index.md")))
                    .allSatisfy(name -> assertThat(linked).contains(name));
        }
    }
}
