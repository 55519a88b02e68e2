package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ToolIdentifiersTest {

    @ParameterizedTest
    @CsvSource({
        "echo, echo",
        "get-sum, get_sum",
        "a.b c, a_b_c",
        "größe, größe",
        "查询, 查询",
        "a😀b, a_b",
        "😀, _",
        "1st, _1st",
        "1st-, _1st_",
        "\u0301a, _\u0301a",
        "e\u0301t, e\u0301t",
        "$cost, $cost",
        "delete, delete_",
        "await, await_",
        "then, then_",
        "'', _",
    })
    void nameIsConvertedToAnIdentifier(String name, String identifier) {
        assertThat(ToolIdentifiers.toIdentifier(name)).isEqualTo(identifier);
        assertThat(ToolIdentifiers.isIdentifier(name)).isEqualTo(name.equals(identifier));
        assertThat(ToolIdentifiers.isIdentifier(identifier)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "1", "𝒳", "-", "1𝒳"})
    void identifierHasABoundedLength(String repeated) {
        String identifier = ToolIdentifiers.toIdentifier(repeated.repeat(100_000));
        assertThat(identifier.length()).isBetween(ToolIdentifiers.MAX_LENGTH - 1, ToolIdentifiers.MAX_LENGTH);
        assertThat(ToolIdentifiers.isIdentifier(identifier)).isTrue();
    }

    @Test
    void ungrantedToolsAreListedOnlyWhereTheirNamesConflict() {
        List<GuestTool> all = List.of(
                new GuestTool("my-shop", "a"),
                new GuestTool("my-shop", "b"),
                tool("get-user", "get_user", "get-user"),
                tool("get_user_2", "get_user_2", "get_user"),
                tool("other", "other", "other"),
                tool("get_user_3", "get_user_3", "get user"),
                new GuestTool("stranger", "get_user_2"));
        Toolbox narrow = Toolbox.of(
                all, tool -> tool.backend().equals("my_shop") && tool.tool().equals("get_user_2"), List.of());
        assertThat(narrow.tools()).extracting(GuestTool::tool).containsExactly("get_user_2");
        // The second tool of my-shop adds no name.
        assertThat(narrow.ungrantedTools()).containsExactly(all.get(0), all.get(2));
        assertThat(Toolbox.of(all, tool -> true, List.of()).ungrantedTools()).isEmpty();
    }

    private static GuestTool tool(String name, String identifier, String declared) {
        return new GuestTool("my_shop", name, "{}", "my_shop_2", identifier, declared);
    }
}
