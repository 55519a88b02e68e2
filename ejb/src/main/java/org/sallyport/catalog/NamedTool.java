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
 * @param changePending whether its server declares another definition now, which no administrator has accepted
 */
public record NamedTool(
        ToolSpec spec, String identifier, String declaredName, Optional<String> unusable, boolean changePending) {

    /** Creates a tool whose server does not declare another definition. */
    public NamedTool(ToolSpec spec, String identifier, String declaredName, Optional<String> unusable) {
        this(spec, identifier, declaredName, unusable, false);
    }
}
