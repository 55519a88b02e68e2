package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class ScriptToolNamesTest {
    private final ToolCatalog catalog = new ToolCatalog();

    private void put(String backend, String... tools) {
        catalog.put(
                new CatalogBackend(backend, "http", ""),
                Arrays.stream(tools)
                        .map(tool -> new ToolSpec(new ToolName(backend, tool), "", new Json("{}"), ToolHints.READ_ONLY))
                        .toList());
    }

    private Map<String, String> calls() {
        ScriptToolNames names = ScriptToolNames.of(catalog);
        Map<String, String> calls = new TreeMap<>();
        catalog.all().forEach(tool -> calls.put(tool.spec().name().toString(), names.callExpression(tool)));
        return calls;
    }

    @Test
    void invalidIdentifierCharactersBecomeUnderscores() {
        put("everything", "echo", "get-sum");
        assertThat(calls())
                .isEqualTo(Map.of("everything.echo", "everything.echo", "everything.get-sum", "everything.get_sum"));
    }

    @Test
    void collidingNamesAreNumberedAsInTheSandbox() {
        put("shop", "get-sum", "get_sum", "get.sum");
        put("my-shop", "a");
        put("my_shop", "a");
        assertThat(calls())
                .isEqualTo(Map.of(
                        "shop.get-sum", "shop.get_sum",
                        "shop.get.sum", "shop.get_sum_2",
                        "shop.get_sum", "shop.get_sum_3",
                        "my-shop.a", "my_shop.a",
                        "my_shop.a", "my_shop_2.a"));
    }

    @Test
    void backendNamedLikeAGlobalIsCalledThroughTools() {
        put("console", "log");
        assertThat(calls()).isEqualTo(Map.of("console.log", "tools.console.log"));
        assertThat(ScriptToolNames.of(catalog).of(catalog.all().get(0))).isEqualTo("console.log");
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
