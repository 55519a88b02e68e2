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

    /** Adds a definition and assigns its identifier. Returns false when the name is taken. */
    boolean add(BackendDefinition definition);

    /**
     * Adds a definition and assigns its identifier, or replaces the definition of the same name, which keeps its
     * identifier.
     */
    void put(BackendDefinition definition);

    /**
     * Returns the identifier in scripts of the backend, which no other backend has and which stays until the backend is
     * removed; empty when there is no such backend.
     */
    Optional<String> findIdentifier(String name);

    /** Removes a definition, its tools and all their names. Returns false when there is none. */
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
     * Records the tools that a backend's server declares now. A new tool is pinned and gets its names from {@link
     * ToolNameAssigner}, a tool that differs from its pin is pending, and a tool that is no longer declared keeps its
     * pin and its names. A tool is recognized by its name on the server; of several definitions with the same one, the
     * first is used.
     *
     * @return all tools afterwards
     */
    List<PinnedToolDefinition> recordDeclared(String backend, List<ToolDefinition> tools);

    /** Accepts the pending definition of a tool. Returns false when there is none with that hash. */
    boolean acceptPending(String backend, String tool, String hash);
}
