package org.sallyport.audit;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Stores the audit log. Entries are added and, after their retention, deleted; they are never changed. Thread-safe;
 * throws {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer.
 */
public interface AuditStore {
    /** Adds the entry of an action that is about to start. */
    void add(AuditEntry entry);

    /** Adds the entry and the result of a finished action together. */
    void add(AuditEntry entry, AuditResult result);

    /** Adds the result of an entry, once. */
    void add(String tenant, UUID entry, AuditResult result);

    /**
     * Returns the tenant's entries, newest first.
     *
     * @param before only entries with a smaller id, when given
     * @param limit maximum number of entries
     */
    List<RecordedAuditEntry> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit);

    /** Deletes the oldest entries that are older than {@code age}, at most {@code limit}. Returns their number. */
    int purge(Duration age, int limit);
}
