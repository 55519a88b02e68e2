package org.sallyport.it.security;

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
import org.sallyport.it.harness.CheckoutPaths;

/** Checks that the page on hostile input lists the existing cases. {@code -Dhostile.page=write} writes the list. */
class HostileInputPageIT {
    private static final String ROWS_MARKER = "<!-- rows -->\n";
    private static final Set<Integer> MISSING_NUMBERS = Set.of(6, 16, 27);
    /** Sections A to D of the list in the specification. */
    private static final List<String> LISTED_IDS = List.of("""
            A01 A02 A03 A04 A05 A06 A07 A08 A13 A14 A15 A16 A17 A20 A21 A22
            A23 A24 A26 A27 A28 A29 A30 A31 A32
            B01 B02 B03 B05 B06 B08 B10 B11 B12 B14 B16 B17 B19 B20 B21 B23
            B24 B25 B27 B28 B29 B30 B32 B33 B34 B35 B36 B39 B40 B43 B44 B45
            B46 B47 B48 B49 B51
            C01 C02 C03 C04 C05 C06 C07 C08 C10 C11 C12 C13 C14 C15 C16 C17
            C18 C20 C21 C22 C23 C24 C25 C27 C28
            D01 D03 D04 D05 D07 D08 D09 D10 D13
            """.strip().split("\\s+"));

    private static final Pattern TEST_REFERENCE = Pattern.compile("`(\\w+)\\.(\\w+)`");
    private static final Pattern METHOD_REFERENCE = Pattern.compile("`(\\w+)#(\\w+)`");
    private static final Pattern ROW_REFERENCE = Pattern.compile("F\\d{2}");

    @Test
    void pageListsAllAttackCases() throws IOException {
        Path page = CheckoutPaths.root().resolve("docs/security-tests.md");
        String text = Files.readString(page);
        String expected = text.substring(0, text.indexOf(ROWS_MARKER) + ROWS_MARKER.length()) + list();
        if (System.getProperty("hostile.page", "").equals("write")) {
            Files.writeString(page, expected);
        }
        assertThat(Files.readString(page)).isEqualTo(expected);
    }

    private static String list() {
        return "\n| row | what | modes | |\n|---|---|---|---|\n"
                + AttackCatalog.all().stream().map(HostileInputPageIT::line).collect(Collectors.joining());
    }

    private static String line(AttackCase row) {
        if (row.attack().isEmpty()) {
            return "| " + row.id() + " | " + row.title() + " | | " + row.remark() + " |\n";
        }
        String modes = row.modes().equals(Set.of(SandboxMode.values()))
                ? ""
                : row.modes().stream().map(SandboxMode::settingValue).sorted().collect(Collectors.joining(", "));
        return "| " + row.id() + " | " + row.title() + " | " + modes + " | " + (row.fast() ? "" : "slow") + " |\n";
    }

    /** Ordinary tests cover section E of the list. The page names them. */
    @Test
    void testsNamedByThePageForTheEndpointsExist() throws IOException {
        String text = Files.readString(CheckoutPaths.root().resolve("docs/security-tests.md"));
        List<String> lines = text.substring(text.indexOf("<!-- doors -->"), text.indexOf("## The rows"))
                .lines()
                .filter(line -> line.startsWith("| E"))
                .toList();

        assertThat(lines.stream().map(line -> line.substring(2, 5)))
                .isEqualTo(IntStream.rangeClosed(1, 28)
                        .filter(number -> !MISSING_NUMBERS.contains(number))
                        .mapToObj("E%02d"::formatted)
                        .toList());
        Map<String, String> sources = sources();
        for (String line : lines) {
            List<MatchResult> named = TEST_REFERENCE.matcher(line).results().toList();
            assertThat(named).as(line).isNotEmpty();
            named.forEach(test -> assertThat(sources.getOrDefault(test.group(1), ""))
                    .as(test.group())
                    .contains("void " + test.group(2) + "("));
        }
    }

    @Test
    void testsAndRowsNamedForFindingsExist() throws IOException {
        String text = Files.readString(CheckoutPaths.root().resolve("docs/security.md"));
        List<String> lines = text.substring(text.indexOf("## Findings and their tests"), text.indexOf("## Known gaps"))
                .lines()
                .filter(line -> line.startsWith("| security") || line.startsWith("| live"))
                .toList();
        assertThat(lines).isNotEmpty();
        Map<String, String> sources = sources();
        Set<String> rows = AttackCatalog.all().stream().map(AttackCase::id).collect(Collectors.toSet());
        for (String line : lines) {
            List<MatchResult> named = METHOD_REFERENCE.matcher(line).results().toList();
            assertThat(named).as(line).isNotEmpty();
            named.forEach(test -> assertThat(sources.getOrDefault(test.group(1), ""))
                    .as(test.group())
                    .contains("void " + test.group(2) + "("));
            assertThat(rows)
                    .containsAll(ROW_REFERENCE
                            .matcher(line)
                            .results()
                            .map(MatchResult::group)
                            .toList());
        }
    }

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (String module : List.of("test-support", "sandbox", "ejb", "web", "cli", "it")) {
            try (Stream<Path> files =
                    Files.walk(CheckoutPaths.root().resolve(module).resolve("src/test/java"))) {
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
    void everyListedAttackCaseExists() {
        List<String> ids = AttackCatalog.all().stream().map(AttackCase::id).toList();

        assertThat(ids).containsAll(LISTED_IDS).doesNotHaveDuplicates();
        assertThat(ids.stream().filter(id -> id.startsWith("X"))).hasSizeGreaterThan(30);
    }

    @Test
    void testsReferencedByAttackCasesExist() throws IOException {
        Map<String, String> sources = sources();
        for (AttackCase row : AttackCatalog.all()) {
            if (row.attack().isPresent()) {
                continue;
            }
            List<MatchResult> named =
                    TEST_REFERENCE.matcher(row.remark()).results().toList();
            if (named.isEmpty()) {
                assertThat(row.remark()).as(row.id()).matches("(contained by absence|absent)\\b.*");
            }
            named.forEach(test -> assertThat(sources.getOrDefault(test.group(1), ""))
                    .as(row.id() + " " + test.group())
                    .contains("void " + test.group(2) + "("));
        }
    }
}
