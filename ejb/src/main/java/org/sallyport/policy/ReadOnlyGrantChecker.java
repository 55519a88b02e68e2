package org.sallyport.policy;

import java.util.List;

/** Finds out whether grants reach read-only tools only. Thread-safe. */
public interface ReadOnlyGrantChecker {

    /**
     * Returns whether every tool that the grants reach now is declared to be read-only. Returns false if this is not
     * certain: a grant reaches no tool yet, or may reach a capability.
     *
     * @param grants globs of tools
     */
    boolean reachOnlyReadOnlyTools(List<String> grants);
}
