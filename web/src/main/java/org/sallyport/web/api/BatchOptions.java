package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** The options of a batch that are not in its body. */
interface BatchOptions {
    /** Whether they name a capability. */
    boolean namesCapability();

    /**
     * The options as members of a body.
     *
     * @throws org.sallyport.web.ProblemException if an option is invalid
     */
    ObjectNode toMembers();

    /** A text that is the same for the same options. Part of the request hash of an idempotency key. */
    default String fingerprint() {
        return CanonicalJsonHash.of(toMembers());
    }

    /** Labels of all executions. */
    default Map<String, String> labels() {
        return Map.of();
    }
}
