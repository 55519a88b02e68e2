package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.AssignedToolName;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.NamedTool;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.ToolNameMap;
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

    private static PinnedToolDefinition pinned(String name, String identifier, String declared) {
        return PinnedToolDefinition.firstSeen(
                new AssignedToolName(name, identifier),
                new ToolDefinition(declared, declared, "", new Json("{}"), Optional.empty(), ToolHints.EFFECT));
    }

    @Test
    void nameOfARemovedToolDenotesNoOtherTool() {
        catalog.putNamed(
                new CatalogBackend("shop", "http", ""),
                List.of(named("get_user_2", "get_user_2", "get_user")),
                List.of(
                        pinned("get-user", "get_user", "get-user").asUnavailable(),
                        pinned("old", "old", "old").asUnavailable()));
        Toolbox toolbox = toolboxes.forGrants(List.of("*"));
        assertThat(toolbox.tools()).extracting(GuestTool::tool).containsExactly("get_user_2");
        assertThat(toolbox.ungrantedTools()).extracting(GuestTool::tool).containsExactly("get-user");
        assertThat(ToolNameMap.of(toolbox).resolve("shop.get_user").tool()).isEqualTo("get-user");
    }

    /** The backend {@code my-shop} is being connected, or its definition is refused. */
    @Test
    void identifierOfABackendWithoutToolsDenotesNoOtherBackend() {
        catalog.setConfiguredBackends(Map.of("my-shop", "my_shop", "my_shop", "my_shop_2"));
        catalog.put(
                new CatalogBackend("my_shop", "http", "", List.of(), "my_shop_2"),
                List.of(new ToolSpec(new ToolName("my_shop", "pay"), "", new Json("{}"), ToolHints.EFFECT)));
        for (String grant : List.of("*", "my_shop.*")) {
            ToolNameMap names = ToolNameMap.of(toolboxes.forGrants(List.of(grant)));
            assertThat(names.resolve("my_shop.pay").backend()).isEqualTo("my-shop");
            assertThat(names.resolve("my_shop_2.pay").backend()).isEqualTo("my_shop");
        }
        assertThat(catalog.hasBackend("my-shop")).isTrue();
        assertThat(catalog.hasBackend("my_shop_2")).isFalse();
        assertThat(catalog.denotesBackend("my_shop_2")).isTrue();

        Toolbox same = toolboxes.forGrants(List.of("*"));
        catalog.setConfiguredBackends(Map.of("my_shop", "my_shop_2", "my-shop", "my_shop"));
        assertThat(toolboxes.forGrants(List.of("*"))).isSameAs(same);
        catalog.setConfiguredBackends(Map.of("my_shop", "my_shop_2"));
        assertThat(ToolNameMap.of(toolboxes.forGrants(List.of("*")))
                        .resolve("my_shop.pay")
                        .backend())
                .isEqualTo("my_shop");
    }

    /** Otherwise a script would fail with a ReferenceError, which does not name the reason. */
    @Test
    void scriptsSeeToolsThatThisNodeDoesNotHost() {
        put("get-user");
        catalog.putNotHosted(
                new CatalogBackend("library", "java", ""),
                List.of(
                        pinned("lend", "lend", "lend"),
                        pinned("give-back", "give_back", "give-back").asUnavailable()));
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
