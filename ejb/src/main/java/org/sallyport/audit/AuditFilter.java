package org.sallyport.audit;

import java.time.Instant;
import java.util.Optional;

/**
 * Selects audit entries that match all given criteria.
 *
 * @param actor id of a key
 * @param action name of the action
 * @param object id or name of the changed or created object
 * @param since earliest time, inclusive
 */
public record AuditFilter(
        Optional<String> actor, Optional<String> action, Optional<String> object, Optional<Instant> since) {
    /** Matches every entry. */
    public static final AuditFilter ALL =
            new AuditFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
