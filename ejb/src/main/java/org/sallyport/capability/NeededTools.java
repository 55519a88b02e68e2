package org.sallyport.capability;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.sallyport.policy.Grants;

/** What an execution of a capability may call: what the capability needs, as far as the caller grants it. */
public final class NeededTools {
    private NeededTools() {}

    /**
     * Globs of tools that are in both.
     *
     * @param needed globs of the tools that the capability needs
     * @param granted globs of the tools that the caller grants
     */
    public static List<String> within(List<String> needed, List<String> granted) {
        Set<String> both = new LinkedHashSet<>();
        for (String need : needed) {
            for (String grant : granted) {
                if (Grants.matches(grant, need)) {
                    both.add(need);
                } else if (Grants.matches(need, grant)) {
                    both.add(grant);
                }
            }
        }
        return new ArrayList<>(both);
    }
}
