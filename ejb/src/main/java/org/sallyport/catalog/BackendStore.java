package org.sallyport.catalog;

import java.util.List;
import java.util.Optional;

/** Stores the definitions of backends and of their tools, whether they are connected or not. Thread-safe. */
public interface BackendStore {

    /** Returns all definitions, by name. */
    List<BackendDefinition> list();

    /** Returns the definition of that name; empty when there is none. */
    Optional<BackendDefinition> find(String name);

    /** Adds a definition. Returns false when the name is taken. */
    boolean add(BackendDefinition definition);

    /** Adds a definition or replaces the one of the same name. */
    void put(BackendDefinition definition);

    /** Removes a definition and its tools. Returns false when there is none. */
    boolean remove(String name);

    /** Returns the tools of a backend, by name, including those that its server no longer declares. */
    List<PinnedToolDefinition> listTools(String backend);

    /**
     * Records the tools that a backend's server declares now. A new tool is pinned, a tool that differs from its pin is
     * pending, and a tool that is no longer declared keeps its pin.
     *
     * @return all tools afterwards
     */
    List<PinnedToolDefinition> recordDeclared(String backend, List<ToolDefinition> tools);

    /** Accepts the pending definition of a tool. Returns false when there is none with that hash. */
    boolean acceptPending(String backend, String tool, String hash);
}
