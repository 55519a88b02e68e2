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
    static final String TUTORIAL = "docs/tutorial.md";
    private static final String RHEA = "npm install --prefix texts rhea@3.0.5";
    private static final String EVERYTHING =
            "\"command\": \"npx\", \"args\": [\"-y\", \"@modelcontextprotocol/server-everything\", \"stdio\"]";

    private final Path place = ServerSetup.temporaryDirectory();
    private final int port = ServerSetup.freePort();
    private final int connectors = ServerSetup.freePort();
    private final Map<String, String> environment = Map.of(
            "SALLYPORT_DATA",
            place.resolve("data").toString(),
            "SALLYPORT_PORT",
            Integer.toString(port),
            "SALLYPORT_JAVA_OPTS",
            ServerSetup.QUICK_START,
            "XDG_CONFIG_HOME",
            "");

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
}
