package org.sallyport.catalog;

import java.time.Instant;
import java.util.Optional;

/**
 * How a backend is on this node.
 *
 * @param state whether it can be called
 * @param lastError what went wrong last, if anything has since it was configured
 * @param since when it came into that state
 */
public record BackendStatus(BackendState state, Optional<String> lastError, Instant since) {

    /** Whether a backend can be called. */
    public enum BackendState {
        /** It is being connected. */
        STARTING,
        /** It answers. */
        READY,
        /** It is connected, yet does not answer as it should. */
        DEGRADED,
        /** It is disabled, or lost and not tried again yet. */
        DOWN
    }
}
