package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.AssignedToolName;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.catalog.CatalogBackend;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.InMemoryBackendStore;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

class DeclaredToolLookupTest {
    private static final AssignedToolName NAMES = new AssignedToolName("find", "find");
    private static final ToolDefinition FIND = new ToolDefinition(
            "find", "find", "", new Json("{\"type\":\"object\"}"), Optional.empty(), ToolHints.READ_ONLY);

    private final ToolCatalog catalog = new ToolCatalog();
    private final InMemoryBackendStore store = new InMemoryBackendStore();

    private void declare(String backend, ToolDefinition... declared) {
        BackendDefinition definition =
                new BackendDefinition(backend, "http", Json.EMPTY_OBJECT, true, BackendOrigin.API, "1");
        store.put(definition);
        assertThat(store.recordDeclared(definition, List.of(declared))).isPresent();
    }

    private Optional<Json> schema(String tool, List<PinnedToolDefinition> hosted) {
        DeclaredToolLookup lookup = new DeclaredToolLookup(
                backend -> Map.of("near", hosted).getOrDefault(backend, List.of()),
                catalog,
                store,
                (tenant, name) -> Optional.empty());
        return lookup.findCurrent("t", ToolName.parse(tool)).map(ToolSpec::inputSchema);
    }

    /** Only another node has the bean of the backend. */
    @Test
    void toolOfABackendThatThisNodeDoesNotHostIsFoundInTheStore() {
        declare("far", FIND);
        assertThat(schema("far.find", List.of())).contains(FIND.inputSchema());
        assertThat(schema("far.list", List.of())).isEmpty();
        declare("far");
        assertThat(schema("far.find", List.of())).as("no longer declared").isEmpty();
    }

    @Test
    void backendsOfThisNodeTakePrecedence() {
        declare("near", FIND);
        ToolDefinition changed =
                new ToolDefinition("find", "find", "", new Json("{}"), Optional.empty(), ToolHints.READ_ONLY);
        assertThat(schema("near.find", List.of(new PinnedToolDefinition(NAMES, FIND, Optional.of(changed), true))))
                .contains(changed.inputSchema());
        assertThat(schema("near.find", List.of(new PinnedToolDefinition(NAMES, FIND, Optional.empty(), false))))
                .isEmpty();
        catalog.put(
                new CatalogBackend("demo", "java", "q"),
                List.of(new ToolSpec(new ToolName("demo", "add"), "", new Json("{}"), ToolHints.READ_ONLY)));
        assertThat(schema("demo.add", List.of())).contains(new Json("{}"));
    }
}
