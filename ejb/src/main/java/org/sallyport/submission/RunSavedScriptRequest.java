package org.sallyport.submission;

import java.util.Optional;

/**
 * A request to run a script that was kept.
 *
 * @param name which
 * @param integrity the hash that it must have
 * @param options all else that is asked for; its code and language mean nothing
 */
public record RunSavedScriptRequest(String name, Optional<String> integrity, Submission options) {

    /** The same, sharing what it reads with its batch or not. */
    public RunSavedScriptRequest withSharedReads(boolean shares) {
        return new RunSavedScriptRequest(name, integrity, options.withSharedReads(shares));
    }
}
