package org.sallyport.catalog;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sallyport.capability.ToolUse;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/**
 * Tracks which tools the executions of each version of a capability use, and the hashes of their schemas. Collects new
 * tools and hashes in memory and writes them from time to time, so that an execution costs no write. A node that is
 * killed loses the uses since its last write; the next execution records them again. Thread-safe.
 */
public final class CapabilityToolTracker {
    private static final Logger LOG = System.getLogger(CapabilityToolTracker.class.getName());

    /** After this time, a use of a known tool is written again, for the time of its last use. */
    static final Duration REFRESH_AFTER = Duration.ofHours(1);

    static final int MAX_ENTRIES = 10_000;

    /** Longer names are not recorded. */
    private static final int MAX_NAME_LENGTH = 250;

    private final UsedToolStore store;
    private final InstantSource clock;
    private final Map<ToolUseKey, RecordedUse> recorded = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ToolUseKey, RecordedUse> eldest) {
            return size() > MAX_ENTRIES;
        }
    };
    private final Map<ToolUseKey, ToolUse> pending = new LinkedHashMap<>();

    private record ToolUseKey(String tenant, CapabilityRef version, ToolName tool) {}

    /** @param definition the definition of which {@code hash} is the hash */
    private record RecordedUse(ToolSpec definition, String hash, Instant at) {
        boolean isFresh(Instant now) {
            return now.isBefore(at.plus(REFRESH_AFTER));
        }
    }

    public CapabilityToolTracker(UsedToolStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Records that an execution of {@code version} sent a call to a tool. Does not wait for the store. */
    public void recordUse(String tenant, CapabilityRef version, ToolSpec tool) {
        ToolUseKey key = new ToolUseKey(tenant, version, tool.name());
        Instant now = clock.instant();
        synchronized (this) {
            RecordedUse before = recorded.get(key);
            // Compares identities: the catalog replaces a definition that changes.
            if (before != null && before.definition() == tool && before.isFresh(now)) {
                return;
            }
        }
        if (tool.name().toString().length() > MAX_NAME_LENGTH) {
            return;
        }
        Optional<String> hash = CapabilityContractChecker.tryHash(tool);
        if (hash.isPresent()) {
            recordHash(key, new RecordedUse(tool, hash.get(), now));
        }
    }

    private synchronized void recordHash(ToolUseKey key, RecordedUse use) {
        RecordedUse before = recorded.get(key);
        if (before != null && before.hash().equals(use.hash()) && before.isFresh(use.at())) {
            recorded.put(key, new RecordedUse(use.definition(), use.hash(), before.at()));
        } else if (pending.size() < MAX_ENTRIES || pending.containsKey(key)) {
            recorded.put(key, use);
            pending.put(key, new ToolUse(key.tenant(), key.version(), key.tool().toString(), use.hash(), use.at()));
        }
    }

    /** Writes the uses that are not yet stored. When the store does not answer, the next call writes them. */
    public void flush() {
        Map<ToolUseKey, ToolUse> uses;
        synchronized (this) {
            uses = new LinkedHashMap<>(pending);
        }
        Map<String, List<Map.Entry<ToolUseKey, ToolUse>>> byTenant = uses.entrySet().stream()
                .collect(Collectors.groupingBy(each -> each.getKey().tenant()));
        for (Map.Entry<String, List<Map.Entry<ToolUseKey, ToolUse>>> each : byTenant.entrySet()) {
            try {
                store.recordUses(
                        each.getKey(),
                        each.getValue().stream().map(Map.Entry::getValue).toList());
            } catch (StoreUnavailableException e) {
                LOG.log(
                        Level.DEBUG,
                        "tools used by capabilities could not be stored; the next flush stores them: {0}",
                        e.getMessage());
                return;
            } catch (RuntimeException e) {
                // Do not try again: these uses would prevent all others.
                LOG.log(Level.WARNING, "tools used by capabilities of a tenant could not be stored", e);
            }
            synchronized (this) {
                each.getValue().forEach(done -> pending.remove(done.getKey(), done.getValue()));
            }
        }
    }
}
