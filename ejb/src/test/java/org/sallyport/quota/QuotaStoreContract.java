package org.sallyport.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.AnExecution.anExecution;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.artifact.Artifact;
import org.sallyport.artifact.ArtifactContent;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Fence;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Together;

/** What every store of quotas must do. */
public abstract class QuotaStoreContract {
    private static final String TENANT = "t\u0000 \uD800 '; drop table tenant_quota; --";

    protected abstract QuotaStore quotas();

    protected abstract ExecutionStore store();

    protected abstract ArtifactStore artifacts();

    @Test
    void whatIsSetHoldsForTheTenantAloneUntilItIsSetAnew() {
        assertThat(quotas().of(TENANT)).isEmpty();
        quotas().set(TENANT, Map.of(Quota.LIVE, 5L, Quota.TOOL_CALLS, Quota.MOST), "key-1");
        assertThat(quotas().of(TENANT)).isEqualTo(Map.of(Quota.LIVE, 5L, Quota.TOOL_CALLS, Quota.MOST));
        assertThat(quotas().of("other")).isEmpty();

        quotas().set(TENANT, Map.of(Quota.STORED_BYTES, 0L), "key-2");
        assertThat(quotas().of(TENANT)).isEqualTo(Map.of(Quota.STORED_BYTES, 0L));
        quotas().set(TENANT, Map.of(), "key-2");
        assertThat(quotas().of(TENANT)).isEmpty();
    }

    @Test
    void whoSetsItAtTheSameTimeSetsItWhole() throws Exception {
        Together.run(2, racer -> {
            quotas().set(TENANT, Map.of(Quota.LIVE, (long) racer, Quota.TOOL_CALLS, (long) racer), "k");
            return racer;
        });
        assertThat(quotas().of(TENANT).get(Quota.LIVE))
                .isEqualTo(quotas().of(TENANT).get(Quota.TOOL_CALLS));
    }

    @Test
    void callsOfADayAreGivenOutAndNoMoreWhoeverAsks() throws Exception {
        List<Long> given = Together.run(8, racer -> {
            long mine = 0;
            for (int i = 0; i < 5; i++) {
                mine += quotas().takeCalls(TENANT, 7, 100).calls();
            }
            return mine;
        });
        assertThat(given.stream().mapToLong(Long::longValue).sum()).isEqualTo(100);
        assertThat(quotas().calls(TENANT)).isEqualTo(100);
        assertThat(quotas().calls("other")).isZero();
        QuotaStore.Slice none = quotas().takeCalls(TENANT, 7, 50);
        assertThat(none.calls()).isZero();
        assertThat(none.lasts()).isBetween(Duration.ZERO, Duration.ofDays(1));
        assertThat(quotas().takeCalls(TENANT, 7, 103).calls()).isEqualTo(3);
    }

    @Test
    void bytesOfArtifactsAreThoseOfTheTenant() {
        assertThat(quotas().storedBytes(TENANT)).isZero();
        for (String tenant : List.of(TENANT, TENANT, "other")) {
            NewExecution made = anExecution().tenant(tenant).build();
            store().accept(made);
            Fence fence = store().claim(made.id(), "n").orElseThrow().fence();
            artifacts().write(fence, "a", new ArtifactContent(Artifact.Kind.BYTES, "text/plain", new byte[700]));
            artifacts().write(fence, "b", new ArtifactContent(Artifact.Kind.BYTES, "text/plain", new byte[30]));
        }
        assertThat(quotas().storedBytes(TENANT)).isEqualTo(1_460);
    }
}
