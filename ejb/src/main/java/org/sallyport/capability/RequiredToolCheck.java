package org.sallyport.capability;

import java.util.List;

/** Finds tools that a capability needs and that do not exist. Thread-safe. */
@FunctionalInterface
public interface RequiredToolCheck {
    /** Misses no tool. */
    RequiredToolCheck NONE = (tenant, tools) -> List.of();

    /**
     * Returns the tools that do not exist, in the order of {@code tools}. A tool of a backend that is disabled, cannot
     * be reached, or has never declared its tools is not missing; nor is one that is quarantined. May wait for the
     * store.
     *
     * @param tools names and globs; globs are never missing
     */
    List<MissingTool> findMissing(String tenant, List<String> tools);
}
