package org.sallyport.audit;

import java.time.Instant;
import java.util.Optional;

/**
 * An entry of the audit log with its result.
 *
 * @param entry actor, action and object
 * @param recordedAt when the entry was stored
 * @param result result of the action; empty while the action is in progress, or when the service ended during it
 */
public record RecordedAuditEntry(AuditEntry entry, Instant recordedAt, Optional<AuditResult> result) {}
