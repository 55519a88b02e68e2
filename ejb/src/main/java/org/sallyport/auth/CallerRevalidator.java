package org.sallyport.auth;

import java.time.InstantSource;

/**
 * Checks whether callers who were authenticated earlier would still be admitted. For operations that outlast a request.
 * Thread-safe.
 */
public final class CallerRevalidator {
    private final ApiKeyService keys;
    private final BlockedSubjectCache blocked;
    private final InstantSource clock;

    public CallerRevalidator(ApiKeyService keys, BlockedSubjectCache blocked, InstantSource clock) {
        this.keys = keys;
        this.blocked = blocked;
        this.clock = clock;
    }

    /**
     * Returns whether the caller's key still works, or the caller's token has not expired and its subject is not
     * blocked.
     */
    public boolean isStillValid(Caller caller) {
        return caller.token()
                .map(token -> clock.instant().isBefore(token.expiresAt())
                        && !blocked.isBlocked(caller.tenant(), token.subject()))
                .orElseGet(() -> keys.isValid(caller.id()));
    }
}
