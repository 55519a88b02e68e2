package org.sallyport.connector;

import java.util.Optional;
import java.util.Set;
import org.sallyport.catalog.BackendDefinition;

/** A kind of backends. Thread-safe. */
public interface BackendType {

    /** Its name, such as {@code mcp-stdio}. */
    String name();

    /** Names of settings whose values, or whose members' values, are not shown to anybody. */
    Set<String> secretSettings();

    /** Whether what is said of the effects of tools comes from whoever configured the backend, and so counts. */
    default boolean declaresTrustedHints() {
        return false;
    }

    /** The names that backends of this kind have, which are there without anybody configuring them; empty for a kind of which there may be any. */
    default Optional<Set<String>> builtInNames() {
        return Optional.empty();
    }

    /** Throws {@link InvalidBackendException} unless a backend can be configured so. */
    void check(BackendSettings settings);

    /** A backend that is not started yet. */
    BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener);
}
