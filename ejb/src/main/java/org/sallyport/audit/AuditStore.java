package org.sallyport.audit;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Where the audit log lives: entries are added and, when they were kept long enough, deleted; nothing changes one. Thread-safe;
 * throws {@link org.sallyport.execution.StoreUnavailableException} when it does not answer.
 */
public interface AuditStore {
    /** Adds what is about to be done. */
    void add(AuditEntry entry);

    /** Adds what is done already, both at once. */
    void add(AuditEntry entry, AuditResult result);

    /** Adds what came of an entry, once. */
    void add(String tenant, UUID entry, AuditResult result);

    /**
     * The tenant's entries, newest first.
     *
     * @param before only entries with a smaller id, when given
     * @param limit at most so many
     */
    List<RecordedAuditEntry> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit);

    /** Deletes the oldest of what is older than {@code age}, at most so many; how many these were. */
    int purge(Duration age, int limit);
}
