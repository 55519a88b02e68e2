package org.sallyport.catalog;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.cache.RecentEntries;
import org.sallyport.capability.ToolUse;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.StoreUnavailableException;

/**
 * Tracks which tools the executions of each version of a capability use, and the hashes of their schemas. Collects new
 * tools and hashes in memory and writes them from time to time, so that an execution costs no write. What it remembers
 * is bounded for each tenant; it remembers the newest uses, and the store ignores those that it already has. A node
 * that is killed loses the uses since its last write; the next execution records them again. Thread-safe.
 */
public final class CapabilityToolTracker {
    private static final Logger LOG = System.getLogger(CapabilityToolTracker.class.getName());

    /** Maximum number of uses that are remembered, and of uses that wait to be written, for each tenant. */
    static final int MAX_USES_PER_TENANT = 1_000;

    /** At this number of tenants, all uses that are written are forgotten. */
    static final int MAX_TENANTS = 100;

    /** Maximum number of uses in one transaction. */
    static final int MAX_BATCH_SIZE = 200;

    /** Longer names are not recorded. */
    private static final int MAX_NAME_LENGTH = 250;

    private final UsedToolStore store;
    private final InstantSource clock;
    private final Map<String, TenantUses> tenants = new ConcurrentHashMap<>();
    /** The tenants in the order in which the next flush writes their uses. Guarded by this. */
    private final Deque<String> flushOrder = new ArrayDeque<>();

    private record ToolUseKey(CapabilityRef version, String tool) {}

    private record RecordedUse(String hash, Instant at) {
        boolean isFresh(Instant now) {
            return now.isBefore(at.plus(UsedToolStore.REFRESH_AFTER));
        }
    }

    /** The uses of one tenant. Thread-safe. */
    private static final class TenantUses {
        private final RecentEntries<ToolUseKey, RecordedUse> recorded = new RecentEntries<>(MAX_USES_PER_TENANT);
        private final Map<ToolUseKey, ToolUse> pending = new LinkedHashMap<>();

        synchronized void record(ToolUseKey key, ToolUse use) {
            RecordedUse before = recorded.get(key);
            if (before != null && before.hash().equals(use.hash()) && before.isFresh(use.at())) {
                return;
            }
            if (pending.size() < MAX_USES_PER_TENANT || pending.containsKey(key)) {
                recorded.put(key, new RecordedUse(use.hash(), use.at()));
                pending.put(key, use);
            }
        }

        synchronized List<Map.Entry<ToolUseKey, ToolUse>> firstPending() {
            List<Map.Entry<ToolUseKey, ToolUse>> first = new ArrayList<>();
            for (Map.Entry<ToolUseKey, ToolUse> each : pending.entrySet()) {
                if (first.size() == MAX_BATCH_SIZE) {
                    break;
                }
                first.add(Map.entry(each.getKey(), each.getValue()));
            }
            return first;
        }

        /** Removes uses that were written, or that cannot be written; the next execution records the latter again. */
        synchronized void remove(List<Map.Entry<ToolUseKey, ToolUse>> done, boolean written) {
            for (Map.Entry<ToolUseKey, ToolUse> each : done) {
                if (pending.remove(each.getKey(), each.getValue()) && !written) {
                    recorded.remove(each.getKey());
                }
            }
        }

        synchronized boolean hasPending() {
            return !pending.isEmpty();
        }
    }

    public CapabilityToolTracker(UsedToolStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Records that an execution of {@code version} sent a call to a tool. Does not wait for the store. */
    public void recordUse(String tenant, CapabilityRef version, CatalogTool tool) {
        String name = tool.spec().name().toString();
        Optional<String> hash = tool.schemaHash();
        if (name.length() > MAX_NAME_LENGTH || hash.isEmpty()) {
            return;
        }
        ToolUse use = new ToolUse(tenant, version, name, hash.get(), clock.instant());
        if (tenants.size() >= MAX_TENANTS && !tenants.containsKey(tenant)) {
            tenants.values().removeIf(uses -> !uses.hasPending());
        }
        if (tenants.size() < MAX_TENANTS || tenants.containsKey(tenant)) {
            tenants.computeIfAbsent(tenant, any -> new TenantUses()).record(new ToolUseKey(version, name), use);
        }
    }

    /**
     * Writes the uses that are not yet stored. When the store does not answer, the next call writes them, and begins
     * with another tenant.
     */
    public synchronized void flush() {
        for (Map.Entry<String, TenantUses> each : tenants.entrySet()) {
            if (each.getValue().hasPending() && !flushOrder.contains(each.getKey())) {
                flushOrder.add(each.getKey());
            }
        }
        for (int tenantsLeft = flushOrder.size(); tenantsLeft > 0; tenantsLeft--) {
            String tenant = flushOrder.remove();
            TenantUses uses = tenants.get(tenant);
            if (uses != null && !writeAll(tenant, uses)) {
                flushOrder.add(tenant);
                return;
            }
        }
    }

    /** Returns false if the store does not answer. */
    private boolean writeAll(String tenant, TenantUses uses) {
        List<Map.Entry<ToolUseKey, ToolUse>> batch = uses.firstPending();
        // Bounded, because executions may add uses meanwhile.
        for (int batches = 0; !batch.isEmpty() && batches <= MAX_USES_PER_TENANT / MAX_BATCH_SIZE; batches++) {
            boolean written = false;
            try {
                store.recordUses(tenant, batch.stream().map(Map.Entry::getValue).toList());
                written = true;
            } catch (StoreUnavailableException e) {
                LOG.log(
                        Level.DEBUG,
                        "tools used by capabilities could not be stored; the next flush stores them: {0}",
                        e.getMessage());
                return false;
            } catch (RuntimeException e) {
                // Do not try again: these uses would prevent all others.
                LOG.log(
                        Level.WARNING,
                        "tools used by capabilities of a tenant could not be stored; the next executions record them"
                                + " again",
                        e);
            }
            uses.remove(batch, written);
            batch = uses.firstPending();
        }
        return true;
    }
}
