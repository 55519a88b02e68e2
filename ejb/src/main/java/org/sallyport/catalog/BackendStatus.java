package org.sallyport.catalog;

import java.time.Instant;
import java.util.Optional;

/**
 * The status of a backend on this node.
 *
 * @param state whether it can be called
 * @param lastError the latest error since it was configured, if any
 * @param since when it entered that state
 */
public record BackendStatus(BackendState state, Optional<String> lastError, Instant since) {

    /** Whether a backend can be called. */
    public enum BackendState {
        /** The backend is being connected. */
        STARTING,
        /** The backend answers. */
        READY,
        /** The backend is connected but does not answer correctly. */
        DEGRADED,
        /** The backend is disabled, or lost and not yet retried. */
        DOWN
    }
}
