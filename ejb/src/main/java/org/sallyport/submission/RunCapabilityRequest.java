package org.sallyport.submission;

import java.util.Optional;

/**
 * A request to run what was published.
 *
 * @param name which capability
 * @param version a version, {@code latest} or {@code stable}; {@code stable} when empty
 * @param integrity the hash that it must have
 * @param options all else that is asked for; its code and language mean nothing
 */
public record RunCapabilityRequest(
        String name, Optional<String> version, Optional<String> integrity, Submission options) {

    /** The same, sharing what it reads with its batch or not. */
    public RunCapabilityRequest withSharedReads(boolean shares) {
        return new RunCapabilityRequest(name, version, integrity, options.withSharedReads(shares));
    }
}
