package org.sallyport.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.Role;
import org.sallyport.execution.Cost;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.FencingToken;
import org.sallyport.execution.NewExecution;
import org.sallyport.policy.CallCharge;
import org.sallyport.policy.CostStore;
import org.sallyport.tool.ToolName;

/** Contract of {@link TenantStore}, for every implementation. */
public abstract class TenantStoreContract {
    private static final String STRANGE = "t\u0000 \uD800 '; drop table api_key; --";

    protected abstract TenantStore tenants();

    protected abstract QuotaStore quotas();

    protected abstract CostStore costStore();

    protected abstract ExecutionStore store();

    protected abstract ApiKeyStore keys();

    private void key(String tenant, String id) {
        keys().put(new ApiKey(id, tenant, "n", "h", Set.of(Role.SUBMITTER), Optional.empty()));
    }

    private FencingToken running(String tenant) {
        NewExecution newExecution = anExecution().tenant(tenant).build();
        store().insert(newExecution);
        return store().claim(newExecution.id(), "n").orElseThrow().fence();
    }

    @Test
    void emptyStoreHasNoTenants() {
        assertThat(tenants().listTenants("", 10)).isEmpty();
    }

    @Test
    void tenantIsListedOnceWithItsUsage() {
        key("acme", "k1");
        key("acme", "k2");
        for (int i = 0; i < 3; i++) {
            store().insert(anExecution().tenant("acme").build());
        }
        running("acme");
        NewExecution cancelled = anExecution().tenant("acme").build();
        store().insert(cancelled);
        store().cancel("acme", cancelled.id());
        quotas().setOverrides("quiet", Map.of(QuotaType.LIVE, 5L), "key");
        FencingToken spends = running("spends");
        costStore().charge(new CallCharge(spends, 1, ToolName.parse("demo.echo"), Cost.of("0.5")), List.of());

        assertThat(tenants().listTenants("", 10))
                .containsExactly(
                        new TenantUsage("acme", 3, 4, 2, false, Cost.ZERO, 0),
                        new TenantUsage("quiet", 0, 0, 0, true, Cost.ZERO, 0),
                        new TenantUsage("spends", 0, 1, 0, false, Cost.of("0.5"), 1));
    }

    @Test
    void pagesContainEachTenantOnceInAStableOrder() {
        List<String> names = new ArrayList<>(
                IntStream.range(0, 25).mapToObj(i -> "tenant-" + i).toList());
        names.addAll(List.of(STRANGE, "Zoë ☃", "a b", "A", "\uD83D\uDE00"));
        names.forEach(name -> quotas().setOverrides(name, Map.of(QuotaType.LIVE, 1L), "key"));
        names.forEach(name -> store().insert(anExecution().tenant(name).build()));

        List<String> read = new ArrayList<>();
        String last = "";
        List<TenantUsage> page;
        do {
            page = tenants().listTenants(last, 7);
            page.forEach(use -> read.add(use.tenant()));
            last = page.isEmpty() ? last : page.get(page.size() - 1).tenant();
        } while (page.size() == 7);

        assertThat(read).containsExactlyInAnyOrderElementsOf(names);
        assertThat(tenants().listTenants("", 100).stream().map(TenantUsage::tenant))
                .containsExactlyElementsOf(read);
        assertThat(tenants().listTenants("", 100))
                .allSatisfy(use -> assertThat(use.live()).isEqualTo(1));
    }
}
