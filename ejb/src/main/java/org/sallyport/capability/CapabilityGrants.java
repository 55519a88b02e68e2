package org.sallyport.capability;

import java.util.List;
import org.sallyport.policy.ToolGrants;

/** Computes the grants of an execution of a capability: the tools that the capability needs and the caller grants. */
public final class CapabilityGrants {
    private CapabilityGrants() {}

    /**
     * Returns globs of the tools that both lists cover.
     *
     * @param needed globs of the tools that the capability needs
     * @param granted globs of the tools that the caller grants
     */
    public static List<String> intersect(List<String> needed, List<String> granted) {
        return ToolGrants.intersection(needed, granted);
    }
}
