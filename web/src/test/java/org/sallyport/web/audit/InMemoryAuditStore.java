package org.sallyport.web.audit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.sallyport.audit.AuditEntry;
import org.sallyport.audit.AuditFilter;
import org.sallyport.audit.AuditLog;
import org.sallyport.audit.AuditResult;
import org.sallyport.audit.AuditStore;
import org.sallyport.audit.RecordedAuditEntry;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.security.RejectionRecorder;

/** Keeps audit entries and results in memory. */
public final class InMemoryAuditStore implements AuditStore {
    private final List<AuditEntry> entries = new ArrayList<>();
    private final List<AuditResult> results = new ArrayList<>();

    /** The recorded actions in their order, as {@code action object}. */
    public List<String> actions() {
        return entries.stream()
                .map(entry -> (entry.action() + " " + entry.object()).strip())
                .toList();
    }

    /** The recorded entries, in their order. */
    public List<AuditEntry> entries() {
        return List.copyOf(entries);
    }

    /** A recorder that writes to this store, with the default configuration. */
    public AuditRecorder recorder() {
        AuditLog log = new AuditLog(this, UUID::randomUUID, System::nanoTime);
        return new AuditRecorder(log, new RejectionRecorder(log, Configuration.read(Map.of(), Map.of())));
    }

    /** The recorded results, in their order. */
    public List<AuditResult> results() {
        return List.copyOf(results);
    }

    @Override
    public void add(AuditEntry entry) {
        entries.add(entry);
    }

    @Override
    public void add(AuditEntry entry, AuditResult result) {
        entries.add(entry);
        results.add(result);
    }

    @Override
    public void add(String tenant, UUID entry, AuditResult result) {
        results.add(result);
    }

    @Override
    public List<RecordedAuditEntry> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit) {
        return List.of();
    }

    @Override
    public int purge(Duration age, int limit) {
        return 0;
    }
}
