package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolIdentifiersTest {

    @ParameterizedTest
    @CsvSource({
        "echo, echo",
        "get-sum, get_sum",
        "a.b c, a_b_c",
        "größe, größe",
        "a😀b, a_b",
        "1st, _1st",
        "1st-, _1st_",
        "$cost, $cost",
        "delete, delete_",
        "await, await_",
        "then, then_",
        "'', _",
    })
    void nameIsConvertedToAnIdentifier(String name, String identifier) {
        assertThat(ToolIdentifiers.assignIdentifiers(List.of(name))).isEqualTo(Map.of(name, identifier));
    }

    @Test
    void conflictingIdentifiersAreNumberedInNameOrder() {
        assertThat(ToolIdentifiers.assignIdentifiers(List.of("get_sum", "get.sum", "get-sum")))
                .isEqualTo(Map.of("get-sum", "get_sum", "get.sum", "get_sum_2", "get_sum", "get_sum_3"));
        assertThat(ToolIdentifiers.assignIdentifiers(List.of("1st", "_1st")))
                .isEqualTo(Map.of("1st", "_1st", "_1st", "_1st_2"));
        assertThat(ToolIdentifiers.assignIdentifiers(List.of("delete", "delete_")))
                .isEqualTo(Map.of("delete", "delete_", "delete_", "delete__2"));
    }

    @Test
    void numberedIdentifierRenumbersAnEqualName() {
        assertThat(ToolIdentifiers.assignIdentifiers(List.of("a-b", "a_b", "a_b_2")))
                .isEqualTo(Map.of("a-b", "a_b", "a_b", "a_b_2", "a_b_2", "a_b_2_2"));
    }

    @Test
    void identifiersAreUniqueAmongBackendsAndWithinEachBackend() {
        List<GuestTool> given = ToolIdentifiers.withIdentifiers(List.of(
                new GuestTool("my_shop", "get_user"),
                new GuestTool("shop", "get_user"),
                new GuestTool("my-shop", "a"),
                new GuestTool("shop", "get-user")));
        assertThat(given)
                .extracting(tool -> tool.backendId() + "." + tool.toolId())
                .containsExactly("my_shop_2.get_user", "shop.get_user_2", "my_shop.a", "shop.get_user");
    }

    @Test
    void ungrantedToolsAreListedOnlyWhereTheirNamesConflict() {
        List<GuestTool> all = ToolIdentifiers.withIdentifiers(List.of(
                new GuestTool("my-shop", "a"),
                new GuestTool("my-shop", "b"),
                new GuestTool("my_shop", "get-user"),
                new GuestTool("my_shop", "get_user"),
                new GuestTool("my_shop", "other"),
                new GuestTool("stranger", "get_user")));
        Toolbox narrow = Toolbox.of(
                all, tool -> tool.backend().equals("my_shop") && tool.tool().equals("get_user"), List.of());
        assertThat(narrow.tools()).extracting(GuestTool::tool).containsExactly("get_user");
        assertThat(narrow.ungrantedTools()).containsExactly(all.get(0), all.get(2));
        assertThat(Toolbox.of(all, tool -> true, List.of()).ungrantedTools()).isEmpty();
    }
}
