package org.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.tool.ToolName;

class ToolGrantsTest {

    @ParameterizedTest
    @CsvSource({
        "demo.*,demo.echo,true",
        "demo.*,demos.echo,false",
        "*,demo.echo,true",
        "demo.e*o,demo.echo,true",
        "demo.e*o,demo.echos,false",
        "demo.echo,demo.echo,true",
        "demo.echo,demo.echo2,false",
        "demo.echo,demo.ech,false",
        "*.echo,demo.echo,true",
        "**,demo.echo,true",
        "'',demo.echo,false",
    })
    void globMatchesToolNames(String glob, String tool, boolean allowed) {
        assertThat(new ToolGrants(List.of(glob)).allows(ToolName.parse(tool))).isEqualTo(allowed);
    }

    @Test
    void emptyGrantListAllowsNoTool() {
        assertThat(new ToolGrants(List.of()).allows(ToolName.parse("demo.echo")))
                .isFalse();
    }

    @Test
    void hostileGlobMatchesQuickly() {
        String glob = "*a".repeat(2_000) + "b";
        String name = "a".repeat(20_000);
        Assertions.assertThatCode(() -> org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                        Duration.ofSeconds(60), () -> ToolGrants.matches(glob, name)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*              | demo.*            | demo.*",
                "demo.*         | *                 | demo.*",
                "demo.kv*       | demo.clock*       | ''",
                "demo.*         | *.now             | demo.now,demo.*.now",
                "a*             | *b                | a*b",
                "ab*            | *bc               | abc,ab*bc",
                "*a*            | *b*               | *b*a*,*a*b*",
                "demo.*,mail.*  | demo.kv*,sql.*    | demo.kv*",
                "a*             | b*                | ''",
                "demo.clock     | ''                | ''",
            })
    void intersectionAllowsWhatBothListsAllow(String some, String others, String both) {
        assertThat(ToolGrants.intersection(list(some), list(others))).containsExactlyInAnyOrderElementsOf(list(both));
    }

    private static List<String> list(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    @Test
    void intersectionOfAllSmallGlobsIsExact() {
        List<String> globs = words("ab*", 3);
        List<String> names = words("ab", 4);
        for (String some : globs) {
            for (String other : globs) {
                ToolGrants both = new ToolGrants(ToolGrants.intersection(List.of(some), List.of(other)));
                for (String name : names) {
                    assertThat(both.globs().stream().anyMatch(glob -> ToolGrants.matches(glob, name)))
                            .as("%s and %s: %s of %s", some, other, name, both)
                            .isEqualTo(ToolGrants.matches(some, name) && ToolGrants.matches(other, name));
                }
            }
        }
    }

    private static List<String> words(String letters, int longest) {
        List<String> all = new ArrayList<>(List.of(""));
        for (int from = 0, length = 1; length <= longest; length++) {
            int to = all.size();
            for (; from < to; from++) {
                for (char letter : letters.toCharArray()) {
                    all.add(all.get(from) + letter);
                }
            }
        }
        return all;
    }

    @Test
    void intersectionOfHostileGlobsIsEmptyInsteadOfSlow() {
        List<String> some = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            some.add(i + "*a".repeat(140) + "*");
        }
        List<String> others = some.stream().map(glob -> glob.replace('a', 'b')).toList();
        org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> assertThat(ToolGrants.intersection(some, others)).isEmpty());
    }

    private static List<String> thousand(String prefix, String end) {
        return IntStream.range(0, 1_000).mapToObj(i -> prefix + i + end).toList();
    }

    private static List<String> quickly(List<String> some, List<String> others) {
        return org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> ToolGrants.intersection(some, others));
    }

    private static List<String> joined(List<String> some, List<String> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    @Test
    void coveredGlobsStayCompleteInLargeIntersections() {
        String pad = "*a".repeat(140);
        List<String> globs = joined(thousand("b", pad + "*"), thousand("c", pad));
        List<String> turned = new ArrayList<>(globs);
        Collections.reverse(turned);
        assertThat(quickly(globs, List.copyOf(globs))).isEqualTo(globs);
        assertThat(quickly(globs, turned)).containsExactlyInAnyOrderElementsOf(globs);
        assertThat(quickly(globs, List.of("*"))).isEqualTo(globs);
        assertThat(quickly(List.of("*"), globs)).isEqualTo(globs);
        assertThat(quickly(globs, joined(thousand("d", pad), List.of("*")))).isEqualTo(globs);
        assertThat(quickly(joined(thousand("d", pad), List.of("*")), globs)).isEqualTo(globs);
    }

    @Test
    void toolNamesStayCompleteBesideHostileGlobs() {
        List<String> names = thousand("demo.tool", "");
        List<String> hostile = thousand("*a*b", "*a".repeat(140) + "b");
        List<String> both = quickly(joined(names, hostile), joined(thousand("*b*a", "*b".repeat(140) + "a"), names));
        assertThat(both).containsAll(names).hasSize(1_000);
    }

    @Test
    void toolNamesCoveredByOneGlobStayComplete() {
        List<String> names = thousand("demo.tool", "");
        assertThat(quickly(names, joined(thousand("demo.other", "*"), List.of("demo.*"))))
                .containsExactlyElementsOf(names);
        assertThat(quickly(joined(thousand("demo.other", "*"), List.of("demo.*")), names))
                .containsExactlyElementsOf(names);
        assertThat(quickly(names, thousand("demo.tool", "*"))).containsExactlyElementsOf(names);
        assertThat(quickly(thousand("demo.tool", "*.b"), thousand("demo.other", "*")))
                .isEmpty();
    }

    @Test
    void intersectionHasAtMostAThousandGlobs() {
        List<String> some =
                IntStream.range(0, 10).mapToObj(i -> "b" + i + "*a*b*c").toList();
        List<String> others = thousand("*.get", "*");
        List<String> both = quickly(some, others);
        assertThat(both).hasSizeBetween(100, 1_000);
        assertNeverWider(some, others, both);
        List<String> halves =
                quickly(joined(List.of("a*"), thousand("b", "")), joined(List.of("b*"), thousand("a", "")));
        assertThat(halves).hasSize(1_000);
    }

    @Test
    void intersectionOfHostileListsIsBoundedAndNeverWider() {
        String long1 = "a".repeat(147);
        List<List<String>> lists = List.of(
                thousand("*" + long1, "*" + long1 + "*"),
                thousand(long1 + long1, "*"),
                thousand("*", "*a".repeat(140) + "*"),
                thousand("b", "*a*".repeat(90)),
                thousand("*" + long1 + long1, ""));
        for (List<String> some : lists) {
            for (List<String> others : lists) {
                List<String> both = quickly(some, others.subList(1, 1_000));
                assertThat(both).hasSizeLessThanOrEqualTo(1_000);
                assertNeverWider(some, others, both);
            }
        }
    }

    /**
     * Derives names from the globs in {@code both}, with nothing or some text in place of each star, and asserts that
     * both lists match them.
     */
    private static void assertNeverWider(List<String> some, List<String> others, List<String> both) {
        for (int i = 0; i < both.size(); i += 1 + both.size() / 5) {
            for (String filling : List.of("", "x", "ab")) {
                String name = both.get(i).replace("*", filling);
                assertThat(names(some, name) && names(others, name))
                        .as("%s", both.get(i))
                        .isTrue();
            }
        }
    }

    private static boolean names(List<String> globs, String name) {
        return globs.stream().anyMatch(glob -> ToolGrants.matches(glob, name));
    }

    @Test
    void intersectionOfRandomListsIsExact() {
        Random random = new Random(52);
        List<String> globs = words("ab*", 4);
        List<String> names = words("ab", 5);
        for (int round = 0; round < 300; round++) {
            List<String> some = random.ints(1 + round % 5, 0, globs.size())
                    .mapToObj(globs::get)
                    .toList();
            List<String> others = random.ints(1 + round % 3, 0, globs.size())
                    .mapToObj(globs::get)
                    .toList();
            List<String> both = ToolGrants.intersection(some, others);
            for (String name : names) {
                assertThat(names(both, name))
                        .as("%s and %s: %s of %s", some, others, name, both)
                        .isEqualTo(names(some, name) && names(others, name));
            }
        }
    }
}
