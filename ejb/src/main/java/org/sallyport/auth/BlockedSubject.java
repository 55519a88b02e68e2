package org.sallyport.auth;

import java.time.Instant;
import java.util.UUID;

/**
 * A subject whose tokens a tenant refuses regardless of their claims.
 *
 * @param id a UUID version 7, which sorts by time
 * @param tenant the tenant whose objects the subject can no longer see
 * @param subject the blocked subject
 * @param reason why it was blocked, in the words of the person who did it
 * @param blockedBy id of the caller who blocked it
 * @param blockedAt when it was blocked
 */
public record BlockedSubject(
        UUID id, String tenant, ExternalSubject subject, String reason, String blockedBy, Instant blockedAt) {}
