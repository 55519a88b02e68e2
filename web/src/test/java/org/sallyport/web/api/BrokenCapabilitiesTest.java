package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityContent;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.NewCapability;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.capability.VersionSummary;
import org.sallyport.catalog.Contracts;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Parking;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** How far a page goes whose names take long to try. */
class BrokenCapabilitiesTest {
    private static final SemanticVersion VERSION =
            SemanticVersion.parse("1.0.0").orElseThrow();
    private static final int NAMES = 60;

    private final TreeSet<String> tried = new TreeSet<>();
    private final Traces traces = new Traces();
    private final BrokenCapabilities broken = new BrokenCapabilities(
            new Store(),
            new Contracts(new Store(), traces, new Anything(), new Nothing(), () -> Instant.EPOCH),
            () -> traces.now);

    /** Has names that each rely on a tool that is gone, and have one run. */
    private final class Store implements CapabilityStore {
        @Override
        public boolean publish(NewCapability capability) {
            return false;
        }

        @Override
        public Optional<Capability> find(String tenant, String name, SemanticVersion version) {
            tried.add(name);
            return Optional.of(new Capability(
                    name,
                    version,
                    new CapabilityContent(
                            ScriptLanguage.JAVASCRIPT,
                            "1",
                            Optional.empty(),
                            "",
                            Optional.empty(),
                            Optional.empty(),
                            List.of("b.x"),
                            List.of()),
                    "hash",
                    Map.of("b.x", "hash"),
                    "key",
                    Optional.empty(),
                    Instant.EPOCH,
                    Optional.empty()));
        }

        @Override
        public List<VersionSummary> versions(String tenant, String name) {
            return List.of(new VersionSummary(
                    VERSION, ScriptLanguage.JAVASCRIPT, "", "hash", List.of("b.x"), Instant.EPOCH, false));
        }

        @Override
        public List<String> names(String tenant, String search, String after, int limit) {
            return IntStream.range(0, NAMES)
                    .mapToObj(number -> String.format("n%03d", number))
                    .filter(name -> name.compareTo(after) > 0)
                    .limit(limit)
                    .toList();
        }

        @Override
        public List<ExecutionId> runs(String tenant, String name, SemanticVersion version, int limit) {
            return List.of(new ExecutionId(new UUID(1, 1)));
        }

        @Override
        public boolean deprecate(String tenant, String name, SemanticVersion version, String reason) {
            return false;
        }
    }

    /** Every run made one call, of so many characters, and takes so long to read. */
    private static final class Traces implements Journal {
        private int chars = 2;
        private long millis;
        private Instant now = Instant.EPOCH;

        @Override
        public boolean append(Fence fence, Entries entries) {
            return false;
        }

        @Override
        public boolean release(Fence fence, Entries entries) {
            return false;
        }

        @Override
        public Parking.Answer park(Fence fence, Entries entries, Parking parking) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<ExecutionState> finish(Fence fence, Outcome outcome, Entries entries) {
            return Optional.empty();
        }

        @Override
        public List<TraceEvent> recording(ExecutionId id) {
            return List.of();
        }

        @Override
        public List<TraceEvent> entries(ExecutionId id, long after, int limit) {
            return List.of();
        }

        @Override
        public List<TraceEvent> trace(ExecutionId id, long after, int limit) {
            now = now.plusMillis(millis);
            return after > 0
                    ? List.of()
                    : List.of(new TraceEvent.ToolStarted(
                            1, Instant.EPOCH, 1, ToolName.parse("b.x"), new Json("\"" + "x".repeat(chars - 2) + "\"")));
        }
    }

    /** Finds fault with nothing. */
    private static final class Anything implements SchemaCheck {
        @Override
        public Optional<String> unusable(Json schema) {
            return Optional.empty();
        }

        @Override
        public Optional<Fault> fault(Json schema, Json value) {
            return Optional.empty();
        }
    }

    /** There is no tool. */
    private static final class Nothing implements Contracts.Declared {
        @Override
        public Optional<ToolSpec> now(String tenant, ToolName name) {
            return Optional.empty();
        }

        @Override
        public Optional<ToolSpec> accepted(String tenant, ToolName name) {
            return Optional.empty();
        }
    }

    private JsonNode page(String after) {
        tried.clear();
        return broken.page("t", "", after, 200);
    }

    @Test
    void fiftyNamesAreLookedAtThatTakeNoTime() {
        JsonNode page = page("");
        assertThat(tried).hasSize(50);
        assertThat(page.path("items")).hasSize(50);
        assertThat(Cursor.decodeName(page.path("next").asText())).isEqualTo("n049");
    }

    @Test
    void aPageEndsWhenItsCharactersAreUsedUpAndTheNextGoesOnFromThere() {
        traces.chars = 1_500_000;
        JsonNode page = page("");
        assertThat(tried).containsExactly("n000", "n001", "n002");
        assertThat(page.path("items")).hasSize(3);
        page = page(Cursor.decodeName(page.path("next").asText()));
        assertThat(tried).containsExactly("n003", "n004", "n005");
    }

    @Test
    void aPageEndsWhenItsTimeIsOver() {
        traces.millis = 700;
        page("");
        assertThat(tried).containsExactly("n000", "n001", "n002");
    }

    @Test
    void everyNameIsListedOnceHoweverLongEachTakes() {
        traces.millis = 10_000;
        traces.chars = 5_000_000;
        List<String> all = new ArrayList<>();
        JsonNode page = page("");
        while (page.path("next").isTextual()) {
            page.path("items").forEach(item -> all.add(item.path("name").asText()));
            page = page(Cursor.decodeName(page.path("next").asText()));
        }
        page.path("items").forEach(item -> all.add(item.path("name").asText()));
        assertThat(all).hasSize(NAMES).doesNotHaveDuplicates().isSorted();
    }
}
