package org.sallyport.submission;

import java.util.Optional;

/**
 * A request to run a published capability.
 *
 * @param name the capability
 * @param version a version, {@code latest} or {@code stable}; {@code stable} when empty
 * @param integrity the hash that the capability must have
 * @param options all other options of the run; code and language are ignored
 */
public record RunCapabilityRequest(
        String name, Optional<String> version, Optional<String> integrity, Submission options) {

    /** Returns the request with shared reads within its batch turned on or off. */
    public RunCapabilityRequest withSharedReads(boolean shares) {
        return new RunCapabilityRequest(name, version, integrity, options.withSharedReads(shares));
    }
}
