package org.sallyport.catalog;

import java.util.Optional;
import org.sallyport.tool.ToolSpec;

/**
 * A tool of a backend with its names.
 *
 * @param spec the declaration of its backend, under its assigned name
 * @param identifier its identifier in scripts, unique within the backend
 * @param declaredName the name by which it is declared; may contain any characters
 * @param unusable why it cannot be called; empty when it can
 */
public record NamedTool(ToolSpec spec, String identifier, String declaredName, Optional<String> unusable) {}
