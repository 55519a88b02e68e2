package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.MissingTool;
import org.sallyport.capability.NewCapability;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.connector.InMemoryBackendStore;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Finds required tools that do not exist. */
class RequiredToolFinderTest {
    private final ToolCatalog catalog = new ToolCatalog();
    private final InMemoryBackendStore backends = new InMemoryBackendStore();
    private final RequiredToolFinder tools = new RequiredToolFinder(catalog, backends, new FixedCapabilityStore());
    private final List<Set<String>> capabilityQueries = new ArrayList<>();

    /** Has one capability, {@code shop.fees}. */
    private final class FixedCapabilityStore implements CapabilityStore {
        @Override
        public boolean publish(NewCapability capability) {
            return false;
        }

        @Override
        public Optional<Capability> find(String tenant, String name, SemanticVersion version) {
            return Optional.empty();
        }

        @Override
        public List<CapabilityVersionSummary> listVersions(String tenant, String name) {
            return List.of();
        }

        @Override
        public Set<String> findStableNames(String tenant, Collection<String> names) {
            capabilityQueries.add(Set.copyOf(names));
            return names.contains("shop.fees") ? Set.of("shop.fees") : Set.of();
        }

        @Override
        public List<String> searchNames(String tenant, String search, String after, int limit) {
            return List.of();
        }

        @Override
        public List<ExecutionId> findCompletedRuns(String tenant, String name, SemanticVersion version, int limit) {
            return List.of();
        }

        @Override
        public boolean deprecate(String tenant, String name, SemanticVersion version, String reason) {
            return false;
        }
    }

    private static ToolDefinition definition(String name, String description) {
        return new ToolDefinition(name, name, description, new Json("{}"), Optional.empty(), ToolHints.READ_ONLY);
    }

    private void configure(String backend, boolean enabled) {
        backends.put(new BackendDefinition(backend, "http", Json.EMPTY_OBJECT, enabled, BackendOrigin.API, "1"));
    }

    private void declare(String backend, ToolDefinition... declared) {
        assertThat(backends.recordDeclared(backends.find(backend).orElseThrow(), List.of(declared)))
                .isPresent();
    }

    private List<MissingTool> missing(String... names) {
        return tools.findMissing("t", List.of(names));
    }

    @Test
    void toolOfTheCatalogExists() {
        catalog.put(
                new CatalogBackend("demo", "java", "q"),
                List.of(new ToolSpec(new ToolName("demo", "add"), "", new Json("{}"), ToolHints.READ_ONLY)));
        assertThat(missing("demo.add")).isEmpty();
        assertThat(missing("demo.sub"))
                .containsExactly(new MissingTool("demo.sub", "demo", "the backend 'demo' has no tool 'sub'"));
    }

    @Test
    void toolOfAnUnknownBackendIsMissing() {
        assertThat(missing("demo.*", "crm.find", "*", "crm.*"))
                .containsExactly(new MissingTool("crm.find", "crm", "there is no backend 'crm'"));
    }

    @Test
    void toolOfABackendThatWasNeverConnectedMayExist() {
        configure("crm", true);
        assertThat(missing("crm.find")).isEmpty();
    }

    /** The catalog of this node has no tool of the backend, for example because another node hosts it. */
    @Test
    void declaredToolOfADisabledOrDistantBackendExists() {
        configure("crm", false);
        declare("crm", definition("find", ""));
        assertThat(missing("crm.find")).isEmpty();
        assertThat(missing("crm.fund"))
                .containsExactly(new MissingTool("crm.fund", "crm", "the backend 'crm' has no tool 'fund'"));
    }

    @Test
    void quarantinedToolExistsAndAToolThatIsNoLongerDeclaredIsMissing() {
        configure("crm", true);
        declare("crm", definition("find", ""), definition("list", ""));
        declare("crm", definition("find", "changed"));
        assertThat(missing("crm.find", "crm.list"))
                .extracting(MissingTool::tool)
                .containsExactly("crm.list");
        // A server that declares nothing at all is starting.
        declare("crm");
        assertThat(missing("crm.find", "crm.list")).isEmpty();
        backends.remove("crm");
        assertThat(missing("crm.find")).extracting(MissingTool::reason).containsExactly("there is no backend 'crm'");
    }

    @Test
    void capabilityWithoutAStableVersionIsMissing() {
        assertThat(missing("capabilities.shop.refund", "capabilities.*", "capabilities.shop.fees"))
                .singleElement()
                .satisfies(one -> assertThat(one.reason()).contains("'shop.refund'"));
        assertThat(capabilityQueries).as("one query for all").containsExactly(Set.of("shop.refund", "shop.fees"));
    }

    @Test
    void descriptionNamesFewTools() {
        List<MissingTool> many =
                missing(IntStream.range(0, 15).mapToObj(i -> "crm.t" + i).toArray(String[]::new));
        assertThat(many).hasSize(15);
        assertThat(MissingTool.describe(many))
                .startsWith("the tool 'crm.t0' does not exist: there is no backend 'crm'; the tool 'crm.t1'")
                .endsWith("; and 5 more");
    }
}
