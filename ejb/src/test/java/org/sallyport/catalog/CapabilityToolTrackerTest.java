package org.sallyport.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.capability.ToolUse;
import org.sallyport.capability.UsedTool;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/** Collects the tools that capabilities use, with a clock that the test moves. */
class CapabilityToolTrackerTest {
    private static final CapabilityRef FEES = new CapabilityRef("shop.fees", "1.0.0");
    private static final ToolSpec ADD = tool("add", "{\"type\":\"object\"}");

    private Instant now = Instant.EPOCH;
    private final RecordingStore store = new RecordingStore();
    private final CapabilityToolTracker tracker = new CapabilityToolTracker(store, () -> now);

    private static final class RecordingStore implements UsedToolStore {
        private final List<ToolUse> written = new ArrayList<>();
        private boolean away;
        private String refusedTenant = "";

        @Override
        public void recordUses(String tenant, Collection<ToolUse> uses) {
            if (away) {
                throw new StoreUnavailableException("away, as the test says", new IllegalStateException());
            } else if (tenant.equals(refusedTenant)) {
                throw new IllegalStateException("refused, as the test says");
            }
            written.addAll(uses);
        }

        @Override
        public List<UsedTool> listUsedTools(String tenant, CapabilityRef version) {
            return List.of();
        }

        List<ToolUse> takeWritten() {
            List<ToolUse> all = List.copyOf(written);
            written.clear();
            return all;
        }
    }

    private static ToolSpec tool(String name, String schema) {
        return new ToolSpec(new ToolName("demo", name), "", new Json(schema), ToolHints.READ_ONLY);
    }

    private List<ToolUse> flushed() {
        tracker.flush();
        return store.takeWritten();
    }

    @Test
    void newToolIsWrittenOnceHoweverOftenItIsUsed() {
        for (int i = 0; i < 100; i++) {
            tracker.recordUse("t", FEES, ADD);
        }
        assertThat(flushed())
                .containsExactly(
                        new ToolUse("t", FEES, "demo.add", CapabilityContractChecker.schemaHash(ADD), Instant.EPOCH));
        tracker.recordUse("t", FEES, ADD);
        // Another instance of the same definition, as after a reconnection of the backend.
        tracker.recordUse("t", FEES, tool("add", "{\"type\":\"object\"}"));
        assertThat(flushed()).isEmpty();
        tracker.recordUse("u", FEES, ADD);
        tracker.recordUse("t", new CapabilityRef("shop.fees", "1.0.1"), ADD);
        assertThat(flushed()).hasSize(2);
    }

    @Test
    void changedSchemaIsWrittenAtOnceAndAKnownOneAgainAfterAnHour() {
        tracker.recordUse("t", FEES, ADD);
        String before = flushed().get(0).hash();
        ToolSpec changed = tool("add", "{\"type\":\"object\",\"required\":[\"a\"]}");
        tracker.recordUse("t", FEES, changed);
        assertThat(flushed())
                .singleElement()
                .satisfies(use -> assertThat(use.hash()).isNotEqualTo(before));
        now = now.plus(CapabilityToolTracker.REFRESH_AFTER).minusSeconds(1);
        tracker.recordUse("t", FEES, changed);
        assertThat(flushed()).isEmpty();
        now = now.plusSeconds(1);
        tracker.recordUse("t", FEES, changed);
        assertThat(flushed())
                .singleElement()
                .satisfies(use -> assertThat(use.at()).isEqualTo(now));
    }

    @Test
    void usesAreWrittenAfterAnOutage() {
        store.away = true;
        tracker.recordUse("t", FEES, ADD);
        assertThat(flushed()).isEmpty();
        store.away = false;
        assertThat(flushed()).hasSize(1);
        assertThat(flushed()).isEmpty();
    }

    @Test
    void usesThatTheStoreRefusesPreventNoOthers() {
        store.refusedTenant = "t";
        tracker.recordUse("t", FEES, ADD);
        tracker.recordUse("u", FEES, ADD);
        assertThat(flushed()).extracting(ToolUse::tenant).containsExactly("u");
        store.refusedTenant = "";
        assertThat(flushed()).isEmpty();
    }

    @Test
    void longNamesUnreadableSchemasAndTooManyUsesAreNotRecorded() {
        tracker.recordUse("t", FEES, tool("x".repeat(300), "{}"));
        assertThat(flushed()).isEmpty();
        store.away = true;
        for (int i = 0; i < CapabilityToolTracker.MAX_ENTRIES + 10; i++) {
            tracker.recordUse("t", FEES, tool("t" + i, "{}"));
        }
        store.away = false;
        assertThat(flushed()).hasSize(CapabilityToolTracker.MAX_ENTRIES);
        tracker.recordUse("t", FEES, tool("t" + (CapabilityToolTracker.MAX_ENTRIES + 5), "{}"));
        assertThat(flushed()).hasSize(1);
    }
}
