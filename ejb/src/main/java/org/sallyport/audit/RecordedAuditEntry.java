package org.sallyport.audit;

import java.time.Instant;
import java.util.Optional;

/**
 * What the log knows.
 *
 * @param entry who was about to do what
 * @param recordedAt when
 * @param result what came of it; empty when that is not known, since it is under way or the service ended
 */
public record RecordedAuditEntry(AuditEntry entry, Instant recordedAt, Optional<AuditResult> result) {}
