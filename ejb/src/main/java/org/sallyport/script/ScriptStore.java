package org.sallyport.script;

import java.util.List;
import java.util.Optional;

/**
 * Where scripts are kept. A script has one name and a name one script; {@link org.sallyport.journal.Journal#finish} keeps them. Every method is
 * one transaction, committed when it returns. Throws {@link org.sallyport.execution.StoreUnavailableException} when the store does
 * not answer. Thread-safe.
 */
public interface ScriptStore {

    /** The script of that name, if it is this tenant's. */
    Optional<SavedScript> find(String tenant, String name);

    /** The name under which a tenant keeps the script with that hash. */
    Optional<String> findNameByHash(String tenant, String hash);

    /**
     * Scripts in the order of their names.
     *
     * @param search part of the name or the description, in any case; empty for all
     * @param after only names that come after this one; empty for all
     * @param limit at most so many
     */
    List<ScriptSummary> list(String tenant, String search, String after, int limit);

    /** Notes that a script was run, so that others make room before it. */
    void markUsed(String tenant, String name);

    /** Forgets a script; false when there is none. */
    boolean delete(String tenant, String name);

    /** Forgets all of a tenant; how many these were. */
    int deleteAll(String tenant);
}
