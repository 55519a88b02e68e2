package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.ToolIdentifiers;
import org.sallyport.testsupport.TimingAssertions;

class ToolNameAssignerTest {
    /** Declared names that are no identifiers, that have a meaning in JavaScript, or that look alike. */
    private static final List<String> ODD_NAMES = List.of(("get-user|get_user|get.user|get user|get/user"
                    + "|get_user_2|3d-render|42|delete|delete_|new|import|class|await"
                    + "|then|catch|constructor|toString|toJSON|hasOwnProperty|__proto__|prototype|name|length"
                    + "|arguments|inspect|valueOf|$ref|_|-||查询|größe|grüße|gr__e|caf\u00e9|cafe\u0301|caf_"
                    + "|Get-User|Read|read|READ|pay|p\u0430y|p\uff41y|pay\u200b|p_y|get\u2028user|"
                    + "a".repeat(200) + "|" + "a".repeat(199) + "b|" + "a".repeat(128)
                    + "|mcp__server__tool|ns:tool|tool@1.0|😀|𝒳|" + "𝒳".repeat(100) + "|" + "𝒳".repeat(101))
            .split("\\|"));

    private static Map<String, AssignedToolName> assign(Collection<AssignedToolName> existing, List<String> declared) {
        Map<String, String> byKey = new LinkedHashMap<>();
        declared.forEach(name -> byKey.put(name, name));
        return ToolNameAssigner.assign(existing, byKey);
    }

    private static Map<String, String> names(String... declared) {
        Map<String, String> names = new HashMap<>();
        assign(List.of(), List.of(declared))
                .forEach((name, given) -> names.put(name, given.name() + " " + given.identifier()));
        return names;
    }

    @Test
    void validNameStaysAsItIs() {
        assertThat(names("get user", "get_user", "get-user", "get.user", "delete", "größe", "42"))
                .isEqualTo(Map.of(
                        "get_user", "get_user get_user",
                        "get user", "get_user_2 get_user_2",
                        "get-user", "get-user get_user_3",
                        "get.user", "get.user get_user_4",
                        "delete", "delete delete_",
                        "größe", "gr__e größe",
                        "42", "42 _42"));
    }

    @Test
    void laterToolGetsNoNameOrIdentifierOfAnEarlierOne() {
        Collection<AssignedToolName> earlier =
                List.of(new AssignedToolName("get-user", "get_user"), new AssignedToolName("gr__e", "größe"));
        assertThat(assign(earlier, List.of("get_user", "gr__e", "größe", "get-user")))
                .isEqualTo(Map.of(
                        "get_user", new AssignedToolName("get_user_3", "get_user_3"),
                        "gr__e", new AssignedToolName("gr__e_2", "gr__e_2"),
                        "größe", new AssignedToolName("gr__e_3", "größe_2"),
                        "get-user", new AssignedToolName("get-user_2", "get_user_2")));
    }

    @Test
    void toolsWithTheSameDeclaredNameGetDistinctNames() {
        assertThat(ToolNameAssigner.assign(List.of(), Map.of("a.x", "x", "b.x", "x")))
                .isEqualTo(Map.of("a.x", new AssignedToolName("x", "x"), "b.x", new AssignedToolName("x_2", "x_2")));
    }

    /** In whatever order tools are added, no name or identifier of a tool is that of another one. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void namesAreUniqueWhenToolsAreAddedOneAfterAnother(long seed) {
        Random random = new Random(seed);
        List<String> shuffled = new ArrayList<>(ODD_NAMES);
        Collections.shuffle(shuffled, random);
        Map<String, AssignedToolName> assigned = new TreeMap<>();
        for (int from = 0; from < shuffled.size(); ) {
            int to = Math.min(shuffled.size(), from + 1 + random.nextInt(20));
            assigned.putAll(assign(List.copyOf(assigned.values()), shuffled.subList(from, to)));
            from = to;
        }
        assertThat(assigned).hasSize(ODD_NAMES.size());
        Set<String> texts = new HashSet<>();
        assigned.forEach((declared, given) -> {
            assertThat(BackendNameRules.isToolName(given.name())).as(declared).isTrue();
            assertThat(ToolIdentifiers.isIdentifier(given.identifier()))
                    .as(declared)
                    .isTrue();
            Set<String> own = new HashSet<>(List.of(given.name(), given.identifier()));
            own.forEach(text -> assertThat(texts.add(text)).as(text).isTrue());
        });
    }

    @Test
    void namesDoNotDependOnTheDeclarationOrder() {
        List<String> turned = new ArrayList<>(ODD_NAMES);
        Collections.reverse(turned);
        assertThat(assign(List.of(), turned)).isEqualTo(assign(List.of(), ODD_NAMES));
    }

    @Test
    void manyAlikeNamesAreAssignedInLinearTime() {
        List<String> alike = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            alike.add(" ".repeat(1 + i % 100) + (char) ('\u4e00' + i / 100) + "?");
        }
        assertDistinct(alike.subList(0, 1_000)); // loads classes
        long begun = System.nanoTime();
        assertDistinct(alike);
        TimingAssertions.assertAtMostSince(begun, Duration.ofSeconds(5));
    }

    /** Assigns the names of one half after those of the other half. */
    private static void assertDistinct(List<String> alike) {
        int half = alike.size() / 2;
        Map<String, AssignedToolName> first = assign(List.of(), alike.subList(0, half));
        Set<String> names = new HashSet<>();
        for (Map<String, AssignedToolName> assigned :
                List.of(first, assign(first.values(), alike.subList(half, alike.size())))) {
            assigned.values().forEach(given -> names.add(given.name()));
        }
        assertThat(names).hasSameSizeAs(alike);
    }

    @Test
    void backendKeepsAValidNameUnlessAnotherOneHasIt() {
        assertThat(ToolNameAssigner.assignBackendIdentifier("my_shop", Map.of()))
                .isEqualTo("my_shop");
        assertThat(ToolNameAssigner.assignBackendIdentifier("my-shop", Map.of("my_shop", "my_shop")))
                .isEqualTo("my_shop_2");
        assertThat(ToolNameAssigner.assignBackendIdentifier("my_shop", Map.of("my-shop", "my_shop")))
                .isEqualTo("my_shop_2");
        assertThat(ToolNameAssigner.assignBackendIdentifier(
                        "my-shop", Map.of("my_shop", "my_shop_2", "my_shop_3", "my_shop_3")))
                .isEqualTo("my_shop_4");
        assertThat(ToolNameAssigner.assignBackendIdentifier("delete", Map.of())).isEqualTo("delete_");
    }
}
