package org.sallyport.access;

import java.time.Instant;
import java.util.UUID;

/**
 * That the tokens of somebody are not taken for a tenant, whatever they say.
 *
 * @param id a UUID version 7: sorts by time
 * @param tenant whose objects he does not see any more
 * @param subject who
 * @param reason in the words of whoever decided it
 * @param blockedBy who that was: a caller's id
 * @param blockedAt when
 */
public record BlockedSubject(
        UUID id, String tenant, ExternalSubject subject, String reason, String blockedBy, Instant blockedAt) {}
