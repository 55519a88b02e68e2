package org.sallyport.execution;

import java.util.Optional;

/**
 * A request to cancel executions.
 *
 * @param requestedBy id of the caller who requests it; empty if the service does
 * @param reason the reason, in the words of the caller or of the service; at most {@value #MAX_REASON_LENGTH}
 *     characters
 */
public record CancelRequest(Optional<String> requestedBy, Optional<String> reason) {
    /** Maximum number of characters (UTF-16 code units) of a reason. */
    public static final int MAX_REASON_LENGTH = 1_000;

    /** Creates the request of a caller. */
    public static CancelRequest by(String caller, Optional<String> reason) {
        return new CancelRequest(Optional.of(caller), reason);
    }

    /** Creates a request of the service. */
    public static CancelRequest ofService(String reason) {
        return new CancelRequest(Optional.empty(), Optional.of(reason));
    }
}
