package org.sallyport.capability;

import java.util.List;
import org.sallyport.policy.ToolGrants;

/** What an execution of a capability may call: what the capability needs, as far as the caller grants it. */
public final class CapabilityGrants {
    private CapabilityGrants() {}

    /**
     * Globs of tools that are in both.
     *
     * @param needed globs of the tools that the capability needs
     * @param granted globs of the tools that the caller grants
     */
    public static List<String> intersect(List<String> needed, List<String> granted) {
        return ToolGrants.intersection(needed, granted);
    }
}
