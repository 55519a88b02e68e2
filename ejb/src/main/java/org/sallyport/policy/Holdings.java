package org.sallyport.policy;

import java.util.Optional;

/** What may be called in the names of those who submit, as it is now. Thread-safe. */
@FunctionalInterface
public interface Holdings {
    /** Everybody may have everything called. */
    Holdings EVERYTHING = submitter -> Optional.of(new Grants(Grants.EVERY_TOOL));

    /**
     * What may be called in the name of {@code submitter}; empty when nothing may any more. May wait for the store, and throws its
     * exception when nothing is known of him.
     */
    Optional<Grants> of(String submitter);
}
