package org.sallyport.policy;

import java.util.Optional;

/** Provides the current grants of submitters. Thread-safe. */
@FunctionalInterface
public interface SubmitterGrants {
    /** Grants every tool to every submitter. */
    SubmitterGrants ALL_TOOLS = submitter -> Optional.of(new ToolGrants(ToolGrants.EVERY_TOOL));

    /**
     * Returns the grants of {@code submitter}. Empty when the submitter no longer has any. May block on the store, and
     * throws the store's exception when nothing is known of the submitter.
     */
    Optional<ToolGrants> grantsFor(String submitter);
}
