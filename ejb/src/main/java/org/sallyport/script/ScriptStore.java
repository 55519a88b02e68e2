package org.sallyport.script;

import java.util.List;
import java.util.Optional;

/**
 * Stores saved scripts. A script has one name, and a name one script; {@link org.sallyport.journal.Journal#finish}
 * saves scripts. Every method is one transaction, committed when it returns. Throws
 * {@link org.sallyport.execution.StoreUnavailableException} when the store does not answer. Thread-safe.
 */
public interface ScriptStore {

    /** Returns the script of that name; empty when the tenant has no such script. */
    Optional<SavedScript> find(String tenant, String name);

    /** Returns the name of the tenant's script with that hash; empty when there is none. */
    Optional<String> findNameByHash(String tenant, String hash);

    /**
     * Returns scripts in the order of their names.
     *
     * @param search part of the name or the description, ignoring case; empty for all
     * @param after only names after this one; empty for all
     * @param limit maximum number of scripts
     */
    List<ScriptSummary> list(String tenant, String search, String after, int limit);

    /** Records that a script was run, so that less recently used scripts are evicted before it. */
    void markUsed(String tenant, String name);

    /** Deletes a script. Returns false when there is none. */
    boolean delete(String tenant, String name);

    /** Deletes all scripts of a tenant. Returns their number. */
    int deleteAll(String tenant);
}
