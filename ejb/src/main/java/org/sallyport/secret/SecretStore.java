package org.sallyport.secret;

import java.util.List;
import java.util.Optional;

/** Keeps sealed secrets. Thread-safe. */
public interface SecretStore {

    /** All of all tenants, without their values; by tenant and name. */
    List<Secret> listAll();

    /** The tenant's secret of that name. */
    Optional<EncryptedSecret> find(String tenant, String name);

    /**
     * Stores one, unless the tenant has one of that name.
     *
     * @param most how many the tenant may have; those who store at the same moment may each be the last
     */
    AddSecretResult add(EncryptedSecret secret, int most);

    /** Stores another value or another seal; false unless what is there has version {@code before}. Who used it is kept. */
    boolean replace(EncryptedSecret secret, int before);

    /** Forgets one; false when there is none. */
    boolean remove(String tenant, String name);

    /** Notes that one was used. */
    void markUsed(String tenant, String name, Secret.SecretActivity use);
}
