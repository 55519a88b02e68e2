package org.sallyport.catalog;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** How much is tried for one answer: characters of traces, and time. What is begun is brought to its end. Of one thread. */
public final class TrialBudget {
    private final InstantSource clock;
    private final Instant end;
    private long chars;

    public TrialBudget(long chars, Duration time, InstantSource clock) {
        this.chars = chars;
        this.clock = clock;
        this.end = clock.instant().plus(time);
    }

    void spend(long read) {
        chars -= read;
    }

    /** Whether no more is to be begun. */
    public boolean isSpent() {
        return chars <= 0 || !clock.instant().isBefore(end);
    }
}
