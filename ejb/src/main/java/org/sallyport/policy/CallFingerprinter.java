package org.sallyport.policy;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** What answers rest on, as it is now: whoever is given one again must not be told what he would not be told anew. Thread-safe. */
public interface CallFingerprinter {

    /** The same for as long as the tools that {@code grants} reach, what a script can import, and the tenant's policy are the same. */
    String fingerprint(String tenant, List<String> grants);

    /**
     * Whether a call would be made now without asking anybody, and would change nothing.
     *
     * @param capability which one the execution runs that makes it, as {@code name@version}, if it runs one
     * @param before the tools that were called before it
     */
    boolean wouldAllowReadOnlyCall(
            String tenant,
            Optional<String> capability,
            List<String> grants,
            ToolName tool,
            Json arguments,
            List<ToolName> before);
}
