package org.sallyport.connector;

import java.util.Map;
import java.util.Set;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendDefinition.Origin;
import org.sallyport.secret.Vault;

/** What backends may know of secrets: those of their tenant, and those that are configured in the installation's file its environment and files too. */
public final class SecretAccess {
    private final Vault vault;

    public SecretAccess(Vault vault) {
        this.vault = vault;
    }

    /** For one connection of a backend. */
    public Secrets of(BackendDefinition definition) {
        return new Secrets(new Secrets.Sources(
                name -> vault.use(definition.tenant(), name, definition.name()),
                System::getenv,
                definition.origin() != Origin.API));
    }

    /** The versions of the secrets that a backend refers to, those that are not there left out. */
    Map<String, String> versions(BackendDefinition definition) {
        Set<String> names = Secrets.named(definition.settings());
        return names.isEmpty() ? Map.of() : vault.versions(definition.tenant(), names);
    }

    /** Learns what was changed at any node. */
    void refresh() {
        vault.refresh();
    }
}
