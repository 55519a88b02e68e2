package org.sallyport.connector;

import java.util.Map;
import java.util.Set;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.secrets.SecretVault;

/**
 * Creates secret resolvers for backends. A backend can resolve the secrets of its tenant; a backend from the
 * installation's file can also resolve environment variables and files.
 */
public final class SecretResolverFactory {
    private final SecretVault vault;

    public SecretResolverFactory(SecretVault vault) {
        this.vault = vault;
    }

    /** Creates the resolver for one connection of a backend. */
    public SecretReferences resolverFor(BackendDefinition definition) {
        return new SecretReferences(new SecretReferences.SecretSources(
                name -> vault.resolveValue(definition.tenant(), name, definition.name()),
                System::getenv,
                definition.origin() != BackendOrigin.API));
    }

    /** Returns the versions of the secrets that a backend refers to, by name; missing secrets are left out. */
    Map<String, String> secretVersions(BackendDefinition definition) {
        Set<String> names = SecretReferences.referencedSecrets(definition.settings());
        return names.isEmpty() ? Map.of() : vault.versionStamps(definition.tenant(), names);
    }

    /** Loads the changes that any node made. */
    void refresh() {
        vault.refresh();
    }
}
