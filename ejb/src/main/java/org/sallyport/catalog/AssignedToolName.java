package org.sallyport.catalog;

/**
 * The names of a tool, assigned when its backend declares it for the first time and never changed or given to another
 * tool of the backend.
 *
 * @param name the name in calls, grants, policies and traces, without the backend's; 1 to 128 ASCII letters, digits,
 *     {@code _}, {@code .} and {@code -}
 * @param identifier the identifier in scripts; at most 128 UTF-16 code units
 */
public record AssignedToolName(String name, String identifier) {}
