package org.sallyport.connector;

import java.util.Map;
import java.util.Set;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.BackendOrigin;
import org.sallyport.secret.SecretVault;

/** What backends may know of secrets: those of their tenant, and those that are configured in the installation's file its environment and files too. */
public final class SecretResolverFactory {
    private final SecretVault vault;

    public SecretResolverFactory(SecretVault vault) {
        this.vault = vault;
    }

    /** For one connection of a backend. */
    public SecretReferences resolverFor(BackendDefinition definition) {
        return new SecretReferences(new SecretReferences.SecretSources(
                name -> vault.resolveValue(definition.tenant(), name, definition.name()),
                System::getenv,
                definition.origin() != BackendOrigin.API));
    }

    /** The versions of the secrets that a backend refers to, those that are not there left out. */
    Map<String, String> secretVersions(BackendDefinition definition) {
        Set<String> names = SecretReferences.referencedSecrets(definition.settings());
        return names.isEmpty() ? Map.of() : vault.versionStamps(definition.tenant(), names);
    }

    /** Learns what was changed at any node. */
    void refresh() {
        vault.refresh();
    }
}
