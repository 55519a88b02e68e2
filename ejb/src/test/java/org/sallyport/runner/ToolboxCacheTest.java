package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.NamedTool;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class ToolboxCacheTest {
    private final ToolCatalog catalog = new ToolCatalog();
    private final ToolboxCache toolboxes = new ToolboxCache(catalog, List.of());

    private void put(String... tools) {
        catalog.put(
                new CatalogBackend("shop", "http", ""),
                Stream.of(tools)
                        .map(tool -> new ToolSpec(new ToolName("shop", tool), "", new Json("{}"), ToolHints.READ_ONLY))
                        .toList());
    }

    private List<String> found(String grant) {
        return toolboxes.forGrants(List.of(grant)).tools().stream()
                .map(tool -> tool.toolId() + " is " + tool.tool())
                .toList();
    }

    @Test
    void toolNameMeansTheSameToolUnderAllGrants() {
        put("get-user", "get_user", "other");

        assertThat(found("*")).containsExactly("get_user_2 is get-user", "get_user is get_user", "other is other");
        assertThat(found("shop.get-user")).containsExactly("get_user_2 is get-user");
        assertThat(toolboxes.forGrants(List.of("shop.get-user")).ungrantedTools())
                .isEmpty();
    }

    /** As when the server added a tool. */
    @Test
    void toolNameOfAnUngrantedToolDenotesNoOtherTool() {
        catalog.putNamed(
                new CatalogBackend("shop", "http", ""),
                List.of(named("get-user", "get_user", "get-user"), named("get_user_2", "get_user_2", "get_user")));
        assertThat(toolboxes.forGrants(List.of("shop.get_user_2")).ungrantedTools())
                .extracting(GuestTool::tool)
                .containsExactly("get-user");
    }

    private static NamedTool named(String name, String identifier, String declared) {
        return new NamedTool(
                new ToolSpec(new ToolName("shop", name), "", new Json("{}"), ToolHints.READ_ONLY),
                identifier,
                declared,
                Optional.empty());
    }

    @Test
    void scriptsSeeUnusableToolsWithTheirReason() {
        catalog.putNamed(
                new CatalogBackend("shop", "http", ""),
                List.of(new NamedTool(
                        new ToolSpec(new ToolName("shop", "a"), "", new Json("{}"), ToolHints.READ_ONLY),
                        "a",
                        "a",
                        Optional.of("it is too new"))));
        assertThat(toolboxes.forGrants(List.of("*")).tools())
                .singleElement()
                .satisfies(tool -> assertThat(tool.metadataJson()).contains("\"unusable\":\"it is too new\""));
    }

    /** Otherwise a script would fail with a ReferenceError, which does not name the reason. */
    @Test
    void scriptsSeeToolsThatThisNodeDoesNotHost() {
        put("get-user");
        catalog.putNotHosted(
                new CatalogBackend("library", "java", ""),
                List.of(new NamedTool(
                        new ToolSpec(new ToolName("library", "lend"), "", new Json("{}"), ToolHints.EFFECT),
                        "lend",
                        "lend",
                        Optional.empty())));
        assertThat(found("*")).containsExactly("get_user is get-user", "lend is lend");
        assertThat(toolboxes.forGrants(List.of("*"))).isSameAs(toolboxes.forGrants(List.of("*")));

        catalog.remove("library");
        assertThat(found("*")).containsExactly("get_user is get-user");
    }

    @Test
    void toolboxIsCachedPerGrantsUntilTheCatalogChanges() {
        put("get-user");
        Toolbox first = toolboxes.forGrants(List.of("shop.*"));
        assertThat(toolboxes.forGrants(List.of("shop.*"))).isSameAs(first);

        put("get-user", "get_user");

        assertThat(found("shop.*")).containsExactly("get_user_2 is get-user", "get_user is get_user");
    }
}
