package org.sallyport.catalog;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** How much is tried for one answer: characters of traces, and time. What is begun is brought to its end. Of one thread. */
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

    /** Whether no more is to be begun. */
    public boolean isExhausted() {
        return remainingChars <= 0 || !clock.instant().isBefore(deadline);
    }
}
