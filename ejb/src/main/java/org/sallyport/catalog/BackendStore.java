package org.sallyport.catalog;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Stores the definitions of backends and of their tools, whether they are connected or not. Thread-safe. */
public interface BackendStore {
    /**
     * Maximum number of tools of a backend, including those that its server no longer declares and that keep their
     * names.
     */
    int MAX_TOOLS = 10_000;

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
     * Returns the identifiers in scripts of all backends by their names. No two are equal, and each stays until its
     * backend is removed.
     */
    Map<String, String> listIdentifiers();

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
     * Records the tools that the server of a backend declares now. A new tool is pinned and gets its names from {@link
     * ToolNameAssigner}, a tool that differs from its pin is pending, and a tool that is no longer declared keeps its
     * pin and its names. If there are more than {@link #MAX_TOOLS} tools, the last new ones are omitted.
     *
     * @param backend the definition by which the server was reached
     * @return all tools afterwards; empty, without any change, if the backend was removed or its definition has another
     *     version now
     */
    Optional<RecordedTools> recordDeclared(BackendDefinition backend, List<ToolDefinition> tools);

    /** Accepts the pending definition of a tool. Returns false when there is none with that hash. */
    boolean acceptPending(String backend, String tool, String hash);
}
