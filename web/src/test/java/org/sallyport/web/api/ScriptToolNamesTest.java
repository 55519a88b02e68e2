package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.AssignedToolName;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.NamedTool;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class ScriptToolNamesTest {
    private final ToolCatalog catalog = new ToolCatalog();

    private void put(String backend, String... tools) {
        put(new CatalogBackend(backend, "http", ""), tools);
    }

    private void put(CatalogBackend backend, String... tools) {
        catalog.put(
                backend,
                Arrays.stream(tools)
                        .map(tool -> new ToolSpec(
                                new ToolName(backend.name(), tool), "", new Json("{}"), ToolHints.READ_ONLY))
                        .toList());
    }

    private Map<String, String> calls() {
        Map<String, String> calls = new TreeMap<>();
        catalog.all().forEach(tool -> calls.put(tool.spec().name().toString(), ScriptToolNames.callExpression(tool)));
        return calls;
    }

    @Test
    void invalidIdentifierCharactersBecomeUnderscores() {
        put("everything", "echo", "get-sum");
        assertThat(calls())
                .isEqualTo(Map.of("everything.echo", "everything.echo", "everything.get-sum", "everything.get_sum"));
    }

    @Test
    void collidingNamesAreThoseOfTheSandbox() {
        put("shop", "get-sum", "get_sum", "get.sum");
        put("my-shop", "a");
        put(new CatalogBackend("my_shop", "http", "", List.of(), "my_shop_2"), "a");
        assertThat(calls())
                .isEqualTo(Map.of(
                        "shop.get-sum", "shop.get_sum_2",
                        "shop.get.sum", "shop.get_sum_3",
                        "shop.get_sum", "shop.get_sum",
                        "my-shop.a", "my_shop.a",
                        "my_shop.a", "my_shop_2.a"));
    }

    @Test
    void toolIsFoundByEachTextThatScriptsUse() {
        catalog.putNamed(
                new CatalogBackend("my-shop", "http", ""),
                List.of(new NamedTool(
                        new ToolSpec(new ToolName("my-shop", "gr__e"), "", new Json("{}"), ToolHints.READ_ONLY),
                        "größe",
                        "größe",
                        Optional.empty())));
        ScriptToolNames names = ScriptToolNames.of(catalog);
        for (String text : List.of("my-shop.gr__e", "my_shop.größe", "tools.my_shop.größe", "größe")) {
            assertThat(names.find(text)).as(text).contains(catalog.all().get(0));
        }
        assertThat(names.find("my_shop.other")).isEmpty();
    }

    @Test
    void nameOfARemovedToolFindsNone() {
        ToolDefinition removed =
                new ToolDefinition("get-user", "get-user", "", new Json("{}"), Optional.empty(), ToolHints.READ_ONLY);
        catalog.putNamed(
                new CatalogBackend("shop", "http", ""),
                List.of(new NamedTool(
                        new ToolSpec(new ToolName("shop", "get_user_2"), "", new Json("{}"), ToolHints.READ_ONLY),
                        "get_user_2",
                        "get_user",
                        Optional.empty())),
                List.of(PinnedToolDefinition.firstSeen(new AssignedToolName("get-user", "get_user"), removed)
                        .asUnavailable()));
        ScriptToolNames names = ScriptToolNames.of(catalog);
        assertThat(names.find("shop.get_user")).isEmpty();
        assertThat(names.find("shop.get-user")).isEmpty();
        assertThat(names.find("shop.get_user_2")).contains(catalog.all().get(0));
    }

    @Test
    void backendNamedLikeAGlobalIsCalledThroughTools() {
        put("console", "log");
        assertThat(calls()).isEqualTo(Map.of("console.log", "tools.console.log"));
        assertThat(catalog.all().get(0).path()).isEqualTo("console.log");
    }

    @Test
    void namesAreCachedUntilTheCatalogChanges() {
        put("shop", "get-sum");
        ScriptToolNames first = ScriptToolNames.of(catalog);
        assertThat(ScriptToolNames.of(catalog)).isSameAs(first);
        put("shop", "get-sum", "buy");
        assertThat(List.copyOf(calls().values())).containsExactly("shop.buy", "shop.get_sum");
    }
}
