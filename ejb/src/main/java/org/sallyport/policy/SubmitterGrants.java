package org.sallyport.policy;

import java.util.Optional;

/** What may be called in the names of those who submit, as it is now. Thread-safe. */
@FunctionalInterface
public interface SubmitterGrants {
    /** Everybody may have everything called. */
    SubmitterGrants ALL_TOOLS = submitter -> Optional.of(new ToolGrants(ToolGrants.EVERY_TOOL));

    /**
     * What may be called in the name of {@code submitter}; empty when nothing may any more. May wait for the store, and throws its
     * exception when nothing is known of him.
     */
    Optional<ToolGrants> grantsFor(String submitter);
}
