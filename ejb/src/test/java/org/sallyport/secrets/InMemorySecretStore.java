package org.sallyport.secrets;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Encrypted secrets in memory. */
public final class InMemorySecretStore implements SecretStore {
    /** By tenant and name. Visible to tests that simulate a thief. */
    final Map<String, EncryptedSecret> secretsByKey = new TreeMap<>();

    static String key(String tenant, String name) {
        return tenant + "/" + name;
    }

    @Override
    public synchronized List<Secret> listAll() {
        List<Secret> all = new ArrayList<>();
        secretsByKey.values().forEach(row -> all.add(row.metadata()));
        return all;
    }

    @Override
    public synchronized Optional<EncryptedSecret> find(String tenant, String name) {
        return Optional.ofNullable(secretsByKey.get(key(tenant, name)));
    }

    @Override
    public synchronized AddSecretResult add(EncryptedSecret secret, int maxSecrets) {
        String place = key(secret.metadata().tenant(), secret.metadata().name());
        if (secretsByKey.containsKey(place)) {
            return AddSecretResult.EXISTS;
        } else if (secretsByKey.values().stream()
                        .filter(row ->
                                row.metadata().tenant().equals(secret.metadata().tenant()))
                        .count()
                >= maxSecrets) {
            return AddSecretResult.TOO_MANY;
        }
        secretsByKey.put(place, secret);
        return AddSecretResult.STORED;
    }

    @Override
    public synchronized boolean replace(EncryptedSecret secret, int before) {
        String place = key(secret.metadata().tenant(), secret.metadata().name());
        EncryptedSecret there = secretsByKey.get(place);
        if (there == null || there.metadata().version() != before) {
            return false;
        }
        secretsByKey.put(place, secret);
        there.metadata()
                .used()
                .ifPresent(use ->
                        markUsed(secret.metadata().tenant(), secret.metadata().name(), use));
        return true;
    }

    @Override
    public synchronized boolean remove(String tenant, String name) {
        return secretsByKey.remove(key(tenant, name)) != null;
    }

    @Override
    public synchronized void markUsed(String tenant, String name, Secret.SecretActivity use) {
        secretsByKey.computeIfPresent(
                key(tenant, name),
                (place, row) -> new EncryptedSecret(
                        new Secret(
                                tenant,
                                name,
                                row.metadata().version(),
                                row.metadata().created(),
                                row.metadata().changed(),
                                Optional.of(use)),
                        row.keyId(),
                        row.ciphertext()));
    }
}
