package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.NewCapability;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.catalog.CapabilityContractChecker;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.ReleaseResult;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.SuspendRequest;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.StoredPosition;
import org.sallyport.journal.TraceEvent;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** The bounds of a page of capability names that take long to check. */
class BrokenCapabilityFinderTest {
    private static final SemanticVersion VERSION =
            SemanticVersion.parse("1.0.0").orElseThrow();
    private static final int NAMES = 60;

    private final TreeSet<String> tried = new TreeSet<>();
    private final SlowFakeJournal traces = new SlowFakeJournal();
    private final BrokenCapabilityFinder broken = new BrokenCapabilityFinder(
            new FakeBrokenCapabilityStore(),
            new CapabilityContractChecker(
                    new FakeBrokenCapabilityStore(),
                    traces,
                    new PermissiveSchemaValidator(),
                    new EmptyToolDeclarations(),
                    () -> Instant.EPOCH),
            () -> traces.now);

    /** Holds names that each rely on a missing tool and have one run. */
    private final class FakeBrokenCapabilityStore implements CapabilityStore {
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
                    new CapabilityDefinition(
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
        public List<CapabilityVersionSummary> listVersions(String tenant, String name) {
            return List.of(new CapabilityVersionSummary(
                    VERSION, ScriptLanguage.JAVASCRIPT, "", "hash", List.of("b.x"), "key", Instant.EPOCH, false));
        }

        @Override
        public Set<String> findStableNames(String tenant, Collection<String> names) {
            return Set.of();
        }

        @Override
        public List<String> searchNames(String tenant, String search, String after, int limit) {
            return IntStream.range(0, NAMES)
                    .mapToObj(number -> String.format("n%03d", number))
                    .filter(name -> name.compareTo(after) > 0)
                    .limit(limit)
                    .toList();
        }

        @Override
        public List<ExecutionId> findCompletedRuns(String tenant, String name, SemanticVersion version, int limit) {
            return List.of(new ExecutionId(new UUID(1, 1)));
        }

        @Override
        public boolean deprecate(String tenant, String name, SemanticVersion version, String reason) {
            return false;
        }
    }

    /** Every run made one call of {@code chars} characters and takes {@code millis} to read. */
    private static final class SlowFakeJournal implements Journal {
        private int chars = 2;
        private long millis;
        private Instant now = Instant.EPOCH;

        @Override
        public boolean append(FencingToken fence, JournalBatch entries) {
            return false;
        }

        @Override
        public ReleaseResult release(FencingToken fence, JournalBatch entries) {
            return ReleaseResult.LOST;
        }

        @Override
        public SuspendRequest.SuspendResult park(FencingToken fence, JournalBatch entries, SuspendRequest parking) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<ExecutionState> finish(FencingToken fence, ExecutionOutcome outcome, JournalBatch entries) {
            return Optional.empty();
        }

        @Override
        public Optional<StoredPosition> findPosition(ExecutionId id) {
            return Optional.empty();
        }

        @Override
        public long findLastCall(ExecutionId id) {
            return 0;
        }

        @Override
        public List<TraceEvent> readEntries(ExecutionId id, long after, int limit) {
            return List.of();
        }

        @Override
        public List<TraceEvent> readTrace(ExecutionId id, long after, int limit) {
            if (after > 0) {
                return List.of();
            }
            now = now.plusMillis(millis);
            return List.of(new TraceEvent.ToolStarted(
                    1, Instant.EPOCH, 1, ToolName.parse("b.x"), new Json("\"" + "x".repeat(chars - 2) + "\"")));
        }
    }

    /** Accepts every schema and value. */
    private static final class PermissiveSchemaValidator implements JsonSchemaValidator {
        @Override
        public Optional<String> schemaError(Json schema) {
            return Optional.empty();
        }

        @Override
        public Optional<SchemaViolation> validate(Json schema, Json value) {
            return Optional.empty();
        }
    }

    /** Knows no tools. */
    private static final class EmptyToolDeclarations implements CapabilityContractChecker.ToolSpecLookup {
        @Override
        public Optional<ToolSpec> findCurrent(String tenant, ToolName name) {
            return Optional.empty();
        }

        @Override
        public Optional<ToolSpec> findAccepted(String tenant, ToolName name) {
            return Optional.empty();
        }
    }

    private JsonNode page(String after) {
        tried.clear();
        return broken.page("t", "", after, 200);
    }

    @Test
    void pageChecksUpToFiftyFastNames() {
        JsonNode page = page("");
        assertThat(tried).hasSize(50);
        assertThat(page.path("items")).hasSize(50);
        assertThat(Cursor.decodeName(page.path("next").asText())).isEqualTo("n049");
    }

    @Test
    void pageEndsAtItsCharacterLimitAndTheNextContinues() {
        traces.chars = 1_500_000;
        JsonNode page = page("");
        assertThat(tried).containsExactly("n000", "n001", "n002");
        assertThat(page.path("items")).hasSize(3);
        page = page(Cursor.decodeName(page.path("next").asText()));
        assertThat(tried).containsExactly("n003", "n004", "n005");
    }

    @Test
    void pageEndsAtItsTimeLimit() {
        traces.millis = 700;
        page("");
        assertThat(tried).containsExactly("n000", "n001", "n002");
    }

    @Test
    void everyNameIsListedOnceRegardlessOfCheckTime() {
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
