package org.sallyport.catalog;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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

    /** Returns a tool of a backend; empty when its server never declared one of that name. */
    Optional<PinnedToolDefinition> findTool(String backend, String tool);

    /**
     * Returns, for each of {@code backends} that exists, the names of the tools that its server declares now, without
     * their definitions. Empty for a backend that has not declared any.
     */
    Map<String, Set<String>> findDeclaredNames(Collection<String> backends);

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
