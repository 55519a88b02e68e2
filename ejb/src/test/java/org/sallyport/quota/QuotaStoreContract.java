package org.sallyport.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.journal.JournalSize;
import org.sallyport.journal.TraceEvent;

/** Contract of {@link QuotaStore}, for every implementation. */
public abstract class QuotaStoreContract {
    private static final String TENANT = "t\u0000 \uD800 '; drop table tenant_quota; --";

    protected abstract QuotaStore quotas();

    protected abstract ExecutionStore store();

    protected abstract ArtifactStore artifacts();

    protected abstract Journal journal();

    @Test
    void overridesApplyToOneTenantUntilReplaced() {
        assertThat(quotas().findOverrides(TENANT)).isEmpty();
        quotas().setOverrides(TENANT, Map.of(QuotaType.LIVE, 5L, QuotaType.TOOL_CALLS, QuotaType.MAX_VALUE), "key-1");
        assertThat(quotas().findOverrides(TENANT))
                .isEqualTo(Map.of(QuotaType.LIVE, 5L, QuotaType.TOOL_CALLS, QuotaType.MAX_VALUE));
        assertThat(quotas().findOverrides("other")).isEmpty();

        quotas().setOverrides(TENANT, Map.of(QuotaType.STORED_BYTES, 0L), "key-2");
        assertThat(quotas().findOverrides(TENANT)).isEqualTo(Map.of(QuotaType.STORED_BYTES, 0L));
        quotas().setOverrides(TENANT, Map.of(), "key-2");
        assertThat(quotas().findOverrides(TENANT)).isEmpty();
    }

    @Test
    void concurrentOverridesAreNotMixed() throws Exception {
        ConcurrencyTestUtil.runConcurrently(2, racer -> {
            quotas().setOverrides(
                            TENANT, Map.of(QuotaType.LIVE, (long) racer, QuotaType.TOOL_CALLS, (long) racer), "k");
            return racer;
        });
        assertThat(quotas().findOverrides(TENANT).get(QuotaType.LIVE))
                .isEqualTo(quotas().findOverrides(TENANT).get(QuotaType.TOOL_CALLS));
    }

    @Test
    void dailyCallsAreNeverGrantedBeyondTheQuota() throws Exception {
        List<Long> given = ConcurrencyTestUtil.runConcurrently(8, racer -> {
            long mine = 0;
            for (int i = 0; i < 5; i++) {
                mine += quotas().takeCalls(TENANT, 7, 100).calls();
            }
            return mine;
        });
        assertThat(given.stream().mapToLong(Long::longValue).sum()).isEqualTo(100);
        assertThat(quotas().callsToday(TENANT)).isEqualTo(100);
        assertThat(quotas().callsToday("other")).isZero();
        QuotaStore.CallSlice none = quotas().takeCalls(TENANT, 7, 50);
        assertThat(none.calls()).isZero();
        assertThat(none.remaining()).isBetween(Duration.ZERO, Duration.ofDays(1));
        assertThat(quotas().takeCalls(TENANT, 7, 103).calls()).isEqualTo(3);
    }

    @Test
    void artifactBytesAreCountedPerTenant() {
        assertThat(quotas().artifactBytes(TENANT)).isZero();
        for (String tenant : List.of(TENANT, TENANT, "other")) {
            NewExecution newExecution = anExecution().tenant(tenant).build();
            store().insert(newExecution);
            FencingToken fence =
                    store().claim(newExecution.id(), "n").orElseThrow().fence();
            artifacts()
                    .write(fence, "a", new ArtifactContent(Artifact.ArtifactKind.BYTES, "text/plain", new byte[700]));
            artifacts().write(fence, "b", new ArtifactContent(Artifact.ArtifactKind.BYTES, "text/plain", new byte[30]));
        }
        assertThat(quotas().artifactBytes(TENANT)).isEqualTo(1_460);
        assertThat(quotas().journalBytes(TENANT)).isZero();
    }

    @Test
    void journalBytesAreCountedPerTenant() {
        assertThat(quotas().journalBytes(TENANT)).isZero();
        TraceEvent replayLog = new TraceEvent.ReplayLogRecorded(1, Instant.EPOCH, "17*3 ");
        for (String tenant : List.of(TENANT, TENANT, "other")) {
            NewExecution newExecution = anExecution().tenant(tenant).build();
            store().insert(newExecution);
            FencingToken fence =
                    store().claim(newExecution.id(), "n").orElseThrow().fence();
            assertThat(journal().append(fence, new JournalBatch(List.of(replayLog), List.of(), false)))
                    .isTrue();
        }
        assertThat(quotas().journalBytes(TENANT)).isEqualTo(2 * JournalSize.ofEntry(replayLog));
        assertThat(quotas().artifactBytes(TENANT)).isZero();
    }
}
