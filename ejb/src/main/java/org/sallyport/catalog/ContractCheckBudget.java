package org.sallyport.catalog;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Bounds the contract checks of one response by characters of traces and by time. A check that has started is
 * completed. Not thread-safe.
 */
public final class ContractCheckBudget {
    private final InstantSource clock;
    private final Instant deadline;
    private long remainingChars;

    public ContractCheckBudget(long chars, Duration time, InstantSource clock) {
        this.remainingChars = chars;
        this.clock = clock;
        this.deadline = clock.instant().plus(time);
    }

    void spend(long read) {
        remainingChars -= read;
    }

    /** Returns whether no further check may start. */
    public boolean isExhausted() {
        return remainingChars <= 0 || !clock.instant().isBefore(deadline);
    }
}
