package org.sallyport.execution;

import java.time.Instant;
import java.util.Locale;

/**
 * Why a parked execution waits.
 *
 * @param reason the name of the {@link SuspensionReason}, see {@link SuspensionReason#text()}
 * @param since when it was parked
 * @param until when it resumes at the latest
 */
public record Suspension(String reason, Instant since, Instant until) {

    /** Kinds of wait conditions. */
    public enum SuspensionReason {
        /** A timer. */
        TIMER,
        /** The decision on an approval. */
        APPROVAL,
        /** An event. */
        EVENT,
        /** The reply of a tool. */
        TOOL;

        /** Returns the stable name. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
