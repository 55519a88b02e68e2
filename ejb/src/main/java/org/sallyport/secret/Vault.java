package org.sallyport.secret;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The secrets of all tenants. Values leave it only to backends that refer to them, and to the redaction of their tenant, which
 * knows the value before the last one too. What other nodes change is known here after {@link #refresh()}. Thread-safe.
 */
public final class Vault {
    private static final Logger LOG = System.getLogger(Vault.class.getName());
    private static final int VALUES_KEPT = 2;

    private final SecretStore store;
    private final SecretKeys keys;
    private final InstantSource clock;
    private final int most;
    private final Map<Place, Known> known = new HashMap<>();
    private volatile Map<String, Map<String, String>> versions = Map.of();
    private volatile Map<String, Redaction> redactions = Map.of();

    private record Place(String tenant, String name) {}

    /** @param values the newest first; empty when it cannot be opened */
    private record Known(String stamp, List<String> values) {}

    /** @param most how many secrets a tenant may have */
    public Vault(SecretStore store, SecretKeys keys, InstantSource clock, int most) {
        this.store = store;
        this.keys = keys;
        this.clock = clock;
        this.most = most;
    }

    /** The tenant's secrets, by name. */
    public List<Secret> list(String tenant) {
        return store.all().stream()
                .filter(secret -> secret.tenant().equals(tenant))
                .toList();
    }

    /** One of them. */
    public Optional<Secret> find(String tenant, String name) {
        return Secret.isName(name) ? store.find(tenant, name).map(SealedSecret::about) : Optional.empty();
    }

    /** Stores a new one; empty when there is one of that name. {@link TooManySecretsException} when there may be no more. */
    public Optional<Secret> create(String tenant, String name, String value, String by) {
        Secret.Mark now = new Secret.Mark(clock.instant(), by);
        Secret secret = new Secret(tenant, name, 1, now, now, Optional.empty());
        Added added = store.add(keys.seal(secret, value), most);
        if (added == Added.TOO_MANY) {
            throw new TooManySecretsException(most);
        } else if (added == Added.EXISTS) {
            return Optional.empty();
        }
        refresh();
        return Optional.of(secret);
    }

    /** Gives one another value; empty when there is none of that name. */
    public Optional<Secret> rotate(String tenant, String name, String value, String by) {
        for (Optional<Secret> before = find(tenant, name); before.isPresent(); before = find(tenant, name)) {
            Secret old = before.get();
            Secret next = new Secret(
                    tenant, name, old.version() + 1, old.created(), new Secret.Mark(clock.instant(), by), old.used());
            if (store.replace(keys.seal(next, value), old.version())) {
                refresh();
                return Optional.of(next);
            }
        }
        return Optional.empty();
    }

    /** Forgets one; false when there is none of that name. */
    public boolean delete(String tenant, String name) {
        boolean deleted = Secret.isName(name) && store.remove(tenant, name);
        refresh();
        return deleted;
    }

    /**
     * The value of a secret, for the backend {@code by}; {@link SecretUnreadableException} when it cannot be had. From now
     * on it is redacted for its tenant.
     */
    public String use(String tenant, String name, String by) {
        SealedSecret sealed = Secret.isName(name) ? store.find(tenant, name).orElse(null) : null;
        if (sealed == null) {
            throw new SecretUnreadableException("secret '" + name + "' is not stored");
        }
        String value = keys.open(sealed);
        learn(sealed.about(), value);
        try {
            store.used(tenant, name, new Secret.Mark(clock.instant(), by));
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "the use of a secret was not noted", e);
        }
        return value;
    }

    private synchronized void learn(Secret secret, String value) {
        Place place = new Place(secret.tenant(), secret.name());
        Known before = known.get(place);
        if (before == null
                || !before.stamp().equals(secret.stamp())
                || before.values().isEmpty()) {
            known.put(place, next(before, secret.stamp(), value));
            publish();
        }
    }

    private static Known next(@org.jspecify.annotations.Nullable Known before, String stamp, String value) {
        List<String> values = new ArrayList<>(List.of(value));
        if (before != null) {
            before.values().stream()
                    .filter(known -> !known.equals(value))
                    .limit(VALUES_KEPT - 1)
                    .forEach(values::add);
        }
        return new Known(stamp, values);
    }

    /** What must not be seen by the tenant; costs a look into a map. */
    public Redaction redaction(String tenant) {
        return redactions.getOrDefault(tenant, Redaction.NOTHING);
    }

    /**
     * Which values those of the tenant's secrets have that are named, as they were when this was last refreshed: another stamp
     * is another value.
     */
    public Map<String, String> versions(String tenant, Set<String> names) {
        Map<String, String> there = new TreeMap<>(versions.getOrDefault(tenant, Map.of()));
        there.keySet().retainAll(names);
        return there;
    }

    /** Learns what was changed at any node. */
    public synchronized void refresh() {
        List<Secret> all = store.all();
        Set<Place> there = new HashSet<>();
        boolean changed = false;
        for (Secret secret : all) {
            Place place = new Place(secret.tenant(), secret.name());
            there.add(place);
            Known before = known.get(place);
            if (before == null || !before.stamp().equals(secret.stamp())) {
                known.put(place, opened(before, secret));
                changed = true;
            }
        }
        changed |= known.keySet().retainAll(there);
        Map<String, Map<String, String>> now = new HashMap<>();
        all.forEach(secret ->
                now.computeIfAbsent(secret.tenant(), tenant -> new HashMap<>()).put(secret.name(), secret.stamp()));
        versions = now;
        if (changed) {
            publish();
        }
    }

    private Known opened(@org.jspecify.annotations.Nullable Known before, Secret secret) {
        Optional<SealedSecret> sealed = store.find(secret.tenant(), secret.name());
        try {
            if (sealed.isPresent()) {
                return next(before, sealed.get().about().stamp(), keys.open(sealed.get()));
            }
        } catch (SecretUnreadableException e) {
            LOG.log(Level.WARNING, "tenant {0}: {1}", secret.tenant(), e.getMessage());
        }
        return new Known(secret.stamp(), before == null ? List.of() : before.values());
    }

    private void publish() {
        Map<String, Set<String>> values = new HashMap<>();
        known.forEach((place, one) -> values.computeIfAbsent(place.tenant(), tenant -> new HashSet<>())
                .addAll(one.values()));
        Map<String, Redaction> next = new HashMap<>();
        values.forEach((tenant, secrets) -> next.put(tenant, new Redaction(secrets)));
        redactions = next;
    }

    /** Seals anew what an older key of this node sealed; how many that were. */
    public int reseal() {
        int resealed = 0;
        for (Secret secret : store.all()) {
            Optional<SealedSecret> sealed = store.find(secret.tenant(), secret.name());
            if (sealed.isPresent()
                    && keys.has(sealed.get().keyId())
                    && !keys.isCurrent(sealed.get().keyId())) {
                resealed += reseal(sealed.get()) ? 1 : 0;
            }
        }
        return resealed;
    }

    /** What cannot be opened harms its own backends, and no start. */
    private boolean reseal(SealedSecret sealed) {
        Secret about = sealed.about();
        try {
            return store.replace(keys.seal(about, keys.open(sealed)), about.version());
        } catch (SecretUnreadableException e) {
            LOG.log(Level.WARNING, "tenant {0}: {1}", about.tenant(), e.getMessage());
            return false;
        }
    }
}
