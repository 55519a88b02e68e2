package org.sallyport.identity.token;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that tests move. */
final class SettableClock implements InstantSource {
    private volatile Instant now = Instant.parse("2026-06-08T15:00:45Z");

    @Override
    public Instant instant() {
        return now;
    }

    void advance(Duration by) {
        now = now.plus(by);
    }
}
