package org.sallyport.submission;

import java.util.Optional;

/**
 * A request to run a script that was kept.
 *
 * @param name which
 * @param integrity the hash that it must have
 * @param options all else that is asked for; its code and language mean nothing
 */
public record ScriptCall(String name, Optional<String> integrity, Submission options) {

    /** The same, sharing what it reads with its batch or not. */
    public ScriptCall sharingReads(boolean shares) {
        return new ScriptCall(name, integrity, options.sharingReads(shares));
    }
}
