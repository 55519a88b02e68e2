package org.sallyport.access;

import java.time.InstantSource;

/** Whether callers who were let in once still would be, for what lasts longer than a request. Thread-safe. */
public final class CallerRevalidator {
    private final ApiKeyService keys;
    private final BlockedSubjectCache blocked;
    private final InstantSource clock;

    public CallerRevalidator(ApiKeyService keys, BlockedSubjectCache blocked, InstantSource clock) {
        this.keys = keys;
        this.blocked = blocked;
        this.clock = clock;
    }

    /** Whether the caller's key works still, or his token counts still and its subject is not blocked. */
    public boolean isStillValid(Caller caller) {
        return caller.token()
                .map(token -> clock.instant().isBefore(token.expiresAt())
                        && !blocked.isBlocked(caller.tenant(), token.subject()))
                .orElseGet(() -> keys.isValid(caller.id()));
    }
}
