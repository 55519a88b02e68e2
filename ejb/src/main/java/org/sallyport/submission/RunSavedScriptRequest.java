package org.sallyport.submission;

import java.util.Optional;

/**
 * A request to run a saved script.
 *
 * @param name the name of the script
 * @param integrity the hash that the script must have
 * @param options all other options of the run; code and language are ignored
 */
public record RunSavedScriptRequest(String name, Optional<String> integrity, Submission options) {

    /** Returns the request with shared reads within its batch turned on or off. */
    public RunSavedScriptRequest withSharedReads(boolean shares) {
        return new RunSavedScriptRequest(name, integrity, options.withSharedReads(shares));
    }
}
