package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The tools of a toolbox, and the names that it keeps for tools that a script cannot call. */
class ToolboxTest {
    private static GuestTool tool(String name, String identifier, String declared) {
        return new GuestTool("my_shop", name, "{}", "my_shop_2", identifier, declared);
    }

    @Test
    void ungrantedToolsAreListedOnlyWhereTheirNamesConflict() {
        List<GuestTool> tools = List.of(
                new GuestTool("my-shop", "a"),
                new GuestTool("my-shop", "b"),
                tool("get-user", "get_user", "get-user"),
                tool("get_user_2", "get_user_2", "get_user"),
                tool("other", "other", "other"),
                tool("get_user_3", "get_user_3", "get user"),
                new GuestTool("stranger", "get_user_2"));
        GuestToolSnapshot all = GuestToolSnapshot.of(tools);
        assertThat(all.backends())
                .isEqualTo(Map.of("my-shop", "my_shop", "my_shop", "my_shop_2", "stranger", "stranger"));
        Toolbox narrow = Toolbox.of(
                all, tool -> tool.backend().equals("my_shop") && tool.tool().equals("get_user_2"), List.of());
        assertThat(narrow.tools()).extracting(GuestTool::tool).containsExactly("get_user_2");
        assertThat(narrow.ungrantedTools()).containsExactly(tools.get(2));
        assertThat(narrow.backends()).isEqualTo(Map.of("my-shop", "my_shop"));
        assertThat(Toolbox.of(all, tool -> true, List.of())).isEqualTo(new Toolbox(tools, List.of()));
    }

    @Test
    void retiredToolAndBackendWithoutToolsKeepTheirNames() {
        GuestTool later = tool("get_user_2", "get_user_2", "get_user");
        GuestTool retired = tool("get-user", "get_user", "get-user");
        GuestToolSnapshot all = new GuestToolSnapshot(
                List.of(later),
                List.of(retired, tool("old", "old", "old")),
                Map.of("my-shop", "my_shop", "my_shop", "my_shop_2", "stranger", "stranger"));
        for (Toolbox toolbox : List.of(all.toToolbox(), Toolbox.of(all, tool -> true, List.of()))) {
            assertThat(toolbox.tools()).containsExactly(later);
            assertThat(toolbox.ungrantedTools()).contains(retired);
            ToolNameMap names = ToolNameMap.of(toolbox);
            assertThat(names.resolve("my_shop_2.get_user")).isSameAs(retired);
            assertThat(names.findGranted("my_shop_2.get_user")).isEmpty();
            assertThat(names.isGranted(retired)).isFalse();
            assertThat(names.resolve("my_shop_2.get_user_2")).isSameAs(later);
            assertThat(names.resolve("my_shop.get_user_2")).isEqualTo(new GuestTool("my-shop", "get_user_2"));
            assertThat(names.findGranted("my_shop.get_user_2")).isEmpty();
        }
    }
}
