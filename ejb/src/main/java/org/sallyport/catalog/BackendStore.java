package org.sallyport.catalog;

import java.util.List;
import java.util.Optional;

/** What is known of backends, whether they are up or not. Thread-safe. */
public interface BackendStore {

    /** All definitions, by name. */
    List<BackendDefinition> list();

    /** The definition of that name. */
    Optional<BackendDefinition> find(String name);

    /** Adds a definition; false when there is one of that name. */
    boolean add(BackendDefinition definition);

    /** Puts a definition in the place of one of the same name, or adds it. */
    void put(BackendDefinition definition);

    /** Removes a definition and its tools; false when there is none. */
    boolean remove(String name);

    /** The tools of a backend, by name, those that its server has no more included. */
    List<PinnedToolDefinition> listTools(String backend);

    /**
     * Notes what a backend's server declares now. What is new is pinned, what differs from its pin is pending, what is not
     * there any more keeps its pin.
     *
     * @return all tools as they are then
     */
    List<PinnedToolDefinition> recordDeclared(String backend, List<ToolDefinition> tools);

    /** Lets the pending definition of a tool count from now on; false when there is none with that hash. */
    boolean acceptPending(String backend, String tool, String hash);
}
