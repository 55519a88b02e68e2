package org.sallyport.access;

import java.time.InstantSource;

/** Whether callers who were let in once still would be, for what lasts longer than a request. Thread-safe. */
public final class Standing {
    private final Keys keys;
    private final BlockedSubjects blocked;
    private final InstantSource clock;

    public Standing(Keys keys, BlockedSubjects blocked, InstantSource clock) {
        this.keys = keys;
        this.blocked = blocked;
        this.clock = clock;
    }

    /** Whether the caller's key works still, or his token counts still and its subject is not blocked. */
    public boolean holds(Caller caller) {
        return caller.token()
                .map(token ->
                        clock.instant().isBefore(token.end()) && !blocked.contains(caller.tenant(), token.subject()))
                .orElseGet(() -> keys.works(caller.keyId()));
    }
}
