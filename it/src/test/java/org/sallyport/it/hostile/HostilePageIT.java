package org.sallyport.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sallyport.it.harness.Checkout;

/** The page on hostile input lists the rows there are. {@code -Dhostile.page=write} writes the list. */
class HostilePageIT {
    private static final String MARK = "<!-- rows -->\n";
    private static final Set<Integer> NOT_ON_THE_LIST = Set.of(6, 16, 27);
    private static final Pattern TEST = Pattern.compile("`(\\w+)\\.(\\w+)`");

    @Test
    void thePageListsTheRows() throws IOException {
        Path page = Checkout.home().resolve("docs/hostile.md");
        String text = Files.readString(page);
        String expected = text.substring(0, text.indexOf(MARK) + MARK.length()) + list();
        if (System.getProperty("hostile.page", "").equals("write")) {
            Files.writeString(page, expected);
        }
        assertThat(Files.readString(page)).isEqualTo(expected);
    }

    private static String list() {
        return "\n| row | what | modes | |\n|---|---|---|---|\n"
                + Rows.all().stream().map(HostilePageIT::line).collect(Collectors.joining());
    }

    private static String line(Row row) {
        if (row.attack().isEmpty()) {
            return "| " + row.id() + " | " + row.title() + " | | " + row.remark() + " |\n";
        }
        String modes = row.modes().equals(Set.of(Mode.values()))
                ? ""
                : row.modes().stream().map(Mode::setting).sorted().collect(Collectors.joining(", "));
        return "| " + row.id() + " | " + row.title() + " | " + modes + " | " + (row.fast() ? "" : "slow") + " |\n";
    }

    /** Section E of the list is shown by ordinary tests, which the page names. */
    @Test
    void theTestsAreThereThatThePageNamesForTheDoors() throws IOException {
        String text = Files.readString(Checkout.home().resolve("docs/hostile.md"));
        List<String> lines = text.substring(text.indexOf("<!-- doors -->"), text.indexOf("## The rows"))
                .lines()
                .filter(line -> line.startsWith("| E"))
                .toList();

        assertThat(lines.stream().map(line -> line.substring(2, 5)))
                .isEqualTo(IntStream.rangeClosed(1, 28)
                        .filter(number -> !NOT_ON_THE_LIST.contains(number))
                        .mapToObj("E%02d"::formatted)
                        .toList());
        Map<String, String> sources = sources();
        for (String line : lines) {
            List<MatchResult> named = TEST.matcher(line).results().toList();
            assertThat(named).as(line).isNotEmpty();
            named.forEach(test -> assertThat(sources.getOrDefault(test.group(1), ""))
                    .as(test.group())
                    .contains("void " + test.group(2) + "("));
        }
    }

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (String module : List.of("ejb", "web", "it")) {
            try (Stream<Path> files = Files.walk(Checkout.home().resolve(module).resolve("src/test/java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    sources.merge(
                            file.getFileName().toString().replace(".java", ""), Files.readString(file), String::concat);
                }
            }
        }
        return sources;
    }

    @Test
    void everyLetterOfTheListHasItsRows() {
        List<String> ids = Rows.all().stream().map(Row::id).toList();

        assertThat(ids).contains("A01", "B01", "C01", "D01");
        assertThat(ids.stream().filter(id -> id.startsWith("X"))).hasSizeGreaterThan(30);
    }
}
