package org.sallyport.execution;

import java.time.Instant;
import java.util.Locale;

/**
 * Why a parked execution waits.
 *
 * @param reason what for, as {@link SuspensionReason#text()} names it
 * @param since when it was parked
 * @param until when it goes on at the latest
 */
public record Suspension(String reason, Instant since, Instant until) {

    /** What a parked execution can wait for. */
    public enum SuspensionReason {
        /** A time. */
        TIMER,
        /** A person. */
        APPROVAL,
        /** An event. */
        EVENT,
        /** The answer of a tool. */
        TOOL;

        /** Its stable name. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
