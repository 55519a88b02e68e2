package org.sallyport.connector;

import java.util.Optional;
import java.util.Set;
import org.sallyport.catalog.BackendDefinition;

/** A kind of backend. Thread-safe. */
public interface BackendType {

    /** The name of the kind, such as {@code mcp-stdio}. */
    String name();

    /** Names of settings whose values, or whose members' values, must not be shown. */
    Set<String> secretSettings();

    /** Whether tool hints come from the author of the backend's configuration, and are therefore trusted. */
    default boolean declaresTrustedHints() {
        return false;
    }

    /**
     * The only names that backends of this kind can have; these backends exist without configuration. Empty for a kind
     * whose backends can have any name.
     */
    default Optional<Set<String>> builtInNames() {
        return Optional.empty();
    }

    /** Throws {@link InvalidBackendException} if a backend cannot be configured with these settings. */
    void check(BackendSettings settings);

    /** Creates a connection that is not started yet. */
    BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener);
}
