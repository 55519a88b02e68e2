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
public record CapabilityCall(String name, Optional<String> version, Optional<String> integrity, Submission options) {

    /** The same, sharing what it reads with its batch or not. */
    public CapabilityCall sharingReads(boolean shares) {
        return new CapabilityCall(name, version, integrity, options.sharingReads(shares));
    }
}
