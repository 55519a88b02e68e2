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
import org.junit.jupiter.api.Test;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.DocumentationPage;

/**
 * Checks the documentation pages as files: links, the index, and that a test covers each code block. Starts no server.
 */
class DocumentationLinksIT {
    @Test
    void everyLinkHasATarget() throws IOException {
        List<String> dead = new ArrayList<>();
        List<DocumentationPage> pages = new ArrayList<>();
        for (String path : pagePaths()) {
            pages.add(DocumentationPage.of(path));
        }
        for (DocumentationPage page : pages) {
            for (String link : page.links()) {
                if (!link.matches("[a-z]+:.*") && !leadsSomewhere(page, link)) {
                    dead.add(page.file().getFileName() + " → " + link);
                }
            }
        }
        assertThat(pages).hasSizeGreaterThan(30);
        assertThat(dead).isEmpty();
    }

    /** Paths relative to the top of the checkout. */
    private static List<String> pagePaths() throws IOException {
        List<String> paths =
                new ArrayList<>(List.of("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"));
        try (Stream<Path> files = Files.walk(CheckoutPaths.root().resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md"))
                    .map(file -> CheckoutPaths.root().relativize(file).toString())
                    .forEach(paths::add);
        }
        return paths;
    }

    /**
     * Checks that each block that a reader may copy is verified: {@link DocumentationIT} runs it, another test reads
     * it, or the list gives a reason why not. A line of the list is {@code page | info string of the fence | test, or
     * "not:" and the reason}.
     */
    @Test
    void everyCodeBlockIsTestedOrListedWithAReason() throws IOException {
        Map<String, String> listed = new TreeMap<>();
        for (String line :
                Files.readAllLines(CheckoutPaths.root().resolve("it/src/test/resources/documented-blocks.txt"))) {
            int end = line.lastIndexOf(" | ");
            listed.put(line.substring(0, end), line.substring(end + 3));
        }
        Set<String> others = new TreeSet<>();
        for (String path : pagePaths()) {
            boolean followed = path.equals(DocumentationIT.TUTORIAL)
                    || DocumentationIT.followed().contains(path);
            DocumentationPage.of(path).blocks().stream()
                    .filter(block -> !followed
                            || !(block.isRunnable()
                                    || block.isExpectedOutput()
                                    || block.info().contains("=")))
                    .forEach(block -> others.add(path + " | " + block.info()));
        }
        assertThat(listed.keySet()).containsExactlyElementsOf(others);
        Map<String, String> sources = sources();
        listed.forEach((block, how) -> {
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

    /** Source texts of all tests, by class name. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (String module : List.of("cli", "ejb", "it", "jms-config", "sandbox", "web")) {
            try (Stream<Path> files =
                    Files.walk(CheckoutPaths.root().resolve(module).resolve("src/test/java"))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    sources.merge(
                            file.getFileName().toString().replace(".java", ""), Files.readString(file), String::concat);
                }
            }
        }
        return sources;
    }

    private static boolean leadsSomewhere(DocumentationPage page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? page.file()
                : page.file().resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1
                || DocumentationPage.of(CheckoutPaths.root().relativize(target).toString())
                        .anchors()
                        .contains(parts[1]);
    }

    @Test
    void indexLinksToEveryPage() throws IOException {
        List<String> linked = DocumentationPage.of("docs/index.md").links();
        try (Stream<Path> files = Files.list(CheckoutPaths.root().resolve("docs"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("index.md")))
                    .allSatisfy(name -> assertThat(linked).contains(name));
        }
    }
}
