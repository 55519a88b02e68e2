package org.sallyport.audit;

import java.time.Instant;
import java.util.Optional;

/**
 * Which entries to show: those to which all of it applies.
 *
 * @param actor id of a key
 * @param action what was to be done
 * @param object to what, or what was made
 * @param since then or later
 */
public record AuditFilter(
        Optional<String> actor, Optional<String> action, Optional<String> object, Optional<Instant> since) {
    /** One to which everything applies. */
    public static final AuditFilter ALL =
            new AuditFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
