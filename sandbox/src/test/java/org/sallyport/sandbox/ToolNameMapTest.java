package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolNameMapTest {
    private static final GuestTool HYPHEN = tool("get-user", "get_user", "get-user");
    /** Declared after {@link #HYPHEN}, which has the identifier that equals this name. */
    private static final GuestTool LATER = tool("get_user_2", "get_user_2", "get_user");

    private static final GuestTool SPACE = tool("get_user_3", "get_user_3", "get user");
    private static final GuestTool SIZE = tool("gr__e", "größe", "größe");
    private static final GuestTool UNGRANTED = tool("secret-name", "secret_name", "secret-name");
    private static final ToolNameMap NAMES =
            ToolNameMap.of(new Toolbox(List.of(HYPHEN, LATER, SPACE, SIZE), List.of(UNGRANTED), Map.of(), List.of()));

    private static GuestTool tool(String name, String identifier, String declared) {
        return new GuestTool("my-shop", name, "{}", "my_shop", identifier, declared);
    }

    @ParameterizedTest
    @CsvSource({
        "get_user, get-user",
        "get-user, get-user",
        "get_user_2, get_user_2",
        "get_user_3, get_user_3",
        "get user, get_user_3",
        "gr__e, gr__e",
        "größe, gr__e",
    })
    void eachTextDenotesOneToolInAllForms(String text, String name) {
        for (String backend : List.of("my-shop", "my_shop")) {
            assertThat(NAMES.resolve(backend + "." + text).tool()).isEqualTo(name);
            assertThat(NAMES.findGranted(backend + "." + text))
                    .map(GuestTool::tool)
                    .contains(name);
            assertThat(NAMES.findGranted("tools." + backend + "." + text))
                    .map(GuestTool::tool)
                    .contains(name);
        }
        assertThat(NAMES.findGranted(text)).map(GuestTool::tool).contains(name);
        assertThat(NAMES.tools("my-shop").get(text)).isNotNull();
    }

    @Test
    void unknownAndUngrantedNamesAreNotFound() {
        assertThat(NAMES.findGranted("my_shop.secret_name")).isEmpty();
        assertThat(NAMES.findGranted("secret_name")).isEmpty();
        assertThat(NAMES.findGranted("my_shop.none")).isEmpty();
        assertThat(NAMES.findGranted("tools.".repeat(100_000))).isEmpty();
        assertThat(NAMES.resolve("my_shop.none")).isEqualTo(new GuestTool("my-shop", "none"));
        assertThat(NAMES.resolve("other.a.b")).isEqualTo(new GuestTool("other", "a.b"));
        assertThat(NAMES.tools("other")).isEmpty();
    }

    @Test
    void identifierOfABackendTakesPrecedenceOverAName() {
        ToolNameMap both = ToolNameMap.of(new Toolbox(
                List.of(
                        new GuestTool("my-shop", "a", "{}", "my_shop", "a", "a"),
                        new GuestTool("my_shop", "a", "{}", "my_shop_2", "a", "a")),
                List.of()));
        assertThat(both.backends())
                .isEqualTo(Map.of("my-shop", "my-shop", "my_shop", "my-shop", "my_shop_2", "my_shop"));
    }

    @Test
    void toolAloneIsSearchedByIdentifierBeforeNameBeforeDeclaredName() {
        GuestTool declared = new GuestTool("a", "get_user_2", "{}", "a", "get_user_3", "get_user");
        GuestTool named = new GuestTool("b", "get_user", "{}", "b", "get_user_4", "x");
        GuestTool identified = new GuestTool("c", "get-user", "{}", "c", "get_user", "get-user");
        GuestTool other = new GuestTool("d", "get_user");
        assertThat(alone(declared, named, identified, other)).isSameAs(identified);
        assertThat(alone(declared, named)).isSameAs(named);
        assertThat(alone(declared, other)).isSameAs(other);
        assertThat(alone(declared)).isSameAs(declared);
    }

    private static GuestTool alone(GuestTool... tools) {
        return ToolNameMap.of(new Toolbox(List.of(tools), List.of()))
                .findGranted("get_user")
                .orElseThrow();
    }
}
