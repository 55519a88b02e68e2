package org.sallyport.policy;

import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * Computes a fingerprint of everything that a cached result depends on. A cached result may be served only if the
 * fingerprint is unchanged. Thread-safe.
 */
public interface CallFingerprinter {

    /**
     * Returns a fingerprint that changes when the tools that {@code grants} reach, the modules that a script can
     * import, or the policy of the tenant change.
     */
    String fingerprint(String tenant, List<String> grants);

    /**
     * Returns whether a call would be allowed now without an approval, and is read-only.
     *
     * @param capability the capability that the calling execution runs, as {@code name@version}, if any
     * @param before the tools that the execution called before
     */
    boolean wouldAllowReadOnlyCall(
            String tenant,
            Optional<String> capability,
            List<String> grants,
            ToolName tool,
            Json arguments,
            List<ToolName> before);
}
