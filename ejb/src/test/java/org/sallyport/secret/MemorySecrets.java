package org.sallyport.secret;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Sealed secrets in memory. */
public final class MemorySecrets implements SecretStore {
    /** By tenant and name; open to tests that play a thief. */
    final Map<String, SealedSecret> rows = new TreeMap<>();

    static String place(String tenant, String name) {
        return tenant + "/" + name;
    }

    @Override
    public synchronized List<Secret> all() {
        List<Secret> all = new ArrayList<>();
        rows.values().forEach(row -> all.add(row.about()));
        return all;
    }

    @Override
    public synchronized Optional<SealedSecret> find(String tenant, String name) {
        return Optional.ofNullable(rows.get(place(tenant, name)));
    }

    @Override
    public synchronized Added add(SealedSecret secret, int most) {
        String place = place(secret.about().tenant(), secret.about().name());
        if (rows.containsKey(place)) {
            return Added.EXISTS;
        } else if (rows.values().stream()
                        .filter(row ->
                                row.about().tenant().equals(secret.about().tenant()))
                        .count()
                >= most) {
            return Added.TOO_MANY;
        }
        rows.put(place, secret);
        return Added.STORED;
    }

    @Override
    public synchronized boolean replace(SealedSecret secret, int before) {
        String place = place(secret.about().tenant(), secret.about().name());
        SealedSecret there = rows.get(place);
        if (there == null || there.about().version() != before) {
            return false;
        }
        rows.put(place, secret);
        there.about()
                .used()
                .ifPresent(use -> used(secret.about().tenant(), secret.about().name(), use));
        return true;
    }

    @Override
    public synchronized boolean remove(String tenant, String name) {
        return rows.remove(place(tenant, name)) != null;
    }

    @Override
    public synchronized void used(String tenant, String name, Secret.Mark use) {
        rows.computeIfPresent(
                place(tenant, name),
                (place, row) -> new SealedSecret(
                        new Secret(
                                tenant,
                                name,
                                row.about().version(),
                                row.about().created(),
                                row.about().changed(),
                                Optional.of(use)),
                        row.keyId(),
                        row.sealed()));
    }
}
