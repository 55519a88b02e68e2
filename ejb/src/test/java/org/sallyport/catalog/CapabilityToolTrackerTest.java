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
    private static final CatalogTool ADD = tool("add", "{\"type\":\"object\"}");

    private Instant now = Instant.EPOCH;
    private final RecordingStore store = new RecordingStore();
    private final CapabilityToolTracker tracker = new CapabilityToolTracker(store, () -> now);

    private static final class RecordingStore implements UsedToolStore {
        private final List<ToolUse> written = new ArrayList<>();
        private boolean away;
        private String refusedTenant = "";
        private String awayTenant = "";

        @Override
        public void recordUses(String tenant, Collection<ToolUse> uses) {
            assertThat(uses).hasSizeLessThanOrEqualTo(CapabilityToolTracker.MAX_BATCH_SIZE);
            if (away || tenant.equals(awayTenant)) {
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

    private static CatalogTool tool(String name, String schema) {
        return CatalogTool.of(
                new ToolSpec(new ToolName("demo", name), "", new Json(schema), ToolHints.READ_ONLY),
                new CatalogBackend("demo", "java", "q"));
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
                .containsExactly(new ToolUse(
                        "t", FEES, "demo.add", CapabilityContractChecker.schemaHash(ADD.spec()), Instant.EPOCH));
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
        CatalogTool changed = tool("add", "{\"type\":\"object\",\"required\":[\"a\"]}");
        tracker.recordUse("t", FEES, changed);
        assertThat(flushed())
                .singleElement()
                .satisfies(use -> assertThat(use.hash()).isNotEqualTo(before));
        now = now.plus(UsedToolStore.REFRESH_AFTER).minusSeconds(1);
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
        tracker.recordUse("t", FEES, ADD);
        tracker.recordUse("u", FEES, ADD);
        assertThat(flushed())
                .as("recorded again by the next execution")
                .extracting(ToolUse::tenant)
                .containsExactly("t");
    }

    /** For example, because its rows are locked. */
    @Test
    void tenantWhoseUsesCannotBeStoredNowDelaysNoOthers() {
        store.awayTenant = "t";
        for (String tenant : List.of("s", "t", "u", "v")) {
            tracker.recordUse(tenant, FEES, ADD);
        }
        List<ToolUse> written = new ArrayList<>(flushed());
        written.addAll(flushed());
        assertThat(written).extracting(ToolUse::tenant).containsExactlyInAnyOrder("s", "u", "v");
        store.awayTenant = "";
        assertThat(flushed()).extracting(ToolUse::tenant).containsExactly("t");
    }

    @Test
    void longNamesUnreadableSchemasAndTooManyUsesAreNotRecorded() {
        tracker.recordUse("t", FEES, tool("x".repeat(300), "{}"));
        assertThat(flushed()).isEmpty();
        store.away = true;
        for (int i = 0; i < CapabilityToolTracker.MAX_USES_PER_TENANT + 10; i++) {
            tracker.recordUse("t", FEES, tool("t" + i, "{}"));
        }
        store.away = false;
        assertThat(flushed()).hasSize(CapabilityToolTracker.MAX_USES_PER_TENANT);
        tracker.recordUse("t", FEES, tool("t" + (CapabilityToolTracker.MAX_USES_PER_TENANT + 5), "{}"));
        assertThat(flushed()).hasSize(1);
    }

    @Test
    void oneTenantTakesNoPlaceOfAnother() {
        tracker.recordUse("u", FEES, ADD);
        assertThat(flushed()).hasSize(1);
        for (int i = 0; i < CapabilityToolTracker.MAX_USES_PER_TENANT * 2; i++) {
            tracker.recordUse("t", FEES, tool("t" + i, "{}"));
        }
        tracker.recordUse("u", FEES, ADD);
        assertThat(flushed()).extracting(ToolUse::tenant).containsOnly("t");
    }

    @Test
    void numberOfTenantsIsBounded() {
        for (int i = 0; i < CapabilityToolTracker.MAX_TENANTS * 2; i++) {
            tracker.recordUse("t" + i, FEES, ADD);
        }
        assertThat(flushed()).hasSize(CapabilityToolTracker.MAX_TENANTS);
        tracker.recordUse("new", FEES, ADD);
        assertThat(flushed()).extracting(ToolUse::tenant).containsExactly("new");
    }
}
