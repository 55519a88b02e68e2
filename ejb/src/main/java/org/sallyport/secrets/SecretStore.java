package org.sallyport.secrets;

import java.util.List;
import java.util.Optional;

/** Stores encrypted secrets. Thread-safe. */
public interface SecretStore {

    /** Returns the secrets of all tenants without their values, ordered by tenant and name. */
    List<Secret> listAll();

    /** Returns the tenant's secret with that name. */
    Optional<EncryptedSecret> find(String tenant, String name);

    /**
     * Stores a secret, unless the tenant has one with that name.
     *
     * @param maxSecrets maximum number of secrets of the tenant; concurrent additions may exceed it
     */
    AddSecretResult add(EncryptedSecret secret, int maxSecrets);

    /**
     * Replaces the value or the encryption of a secret, and keeps its usage. Returns false unless the stored version is
     * {@code before}.
     */
    boolean replace(EncryptedSecret secret, int before);

    /** Removes a secret. Returns false when there is none. */
    boolean remove(String tenant, String name);

    /** Records a use of a secret. */
    void markUsed(String tenant, String name, Secret.SecretActivity use);
}
