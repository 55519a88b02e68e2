package org.sallyport.secrets;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.sallyport.redaction.Redactor;

/**
 * The secrets of all tenants. Only backends and variables that refer to a value and the redaction of the tenant receive
 * it; the redaction also knows the previous value. Changes by other nodes are visible after {@link #refresh()}.
 * Thread-safe.
 */
public final class SecretVault {
    private static final Logger LOG = System.getLogger(SecretVault.class.getName());
    private static final int MAX_VALUES_KEPT = 2;
    /** How many values of variables are redacted for one tenant besides the values that its secrets have. */
    private static final int MAX_PINNED_VALUES = 1_000;

    private final SecretStore store;
    private final SecretCipher cipher;
    private final InstantSource clock;
    private final int maxSecrets;
    private final Map<TenantSecretName, KnownSecretValues> knownValues = new HashMap<>();
    /** Values by tenant that executions on this node have received as variables, oldest first. */
    private final Map<String, Set<String>> pinnedValues = new HashMap<>();

    private volatile Map<String, Map<String, String>> stampsByTenant = Map.of();
    private volatile Map<String, Redactor> redactors = Map.of();

    /**
     * The value of a secret.
     *
     * @param versionStamp identifies the value
     */
    public record SecretReading(String value, String versionStamp) {}

    private record TenantSecretName(String tenant, String name) {}

    /** @param values newest first; empty when the secret cannot be decrypted */
    private record KnownSecretValues(String versionStamp, List<String> values) {}

    /** @param maxSecrets maximum number of secrets of a tenant */
    public SecretVault(SecretStore store, SecretCipher keys, InstantSource clock, int maxSecrets) {
        this.store = store;
        this.cipher = keys;
        this.clock = clock;
        this.maxSecrets = maxSecrets;
    }

    /** Returns the tenant's secrets, ordered by name. */
    public List<Secret> list(String tenant) {
        return store.listAll().stream()
                .filter(secret -> secret.tenant().equals(tenant))
                .toList();
    }

    /** Returns one secret of the tenant. */
    public Optional<Secret> find(String tenant, String name) {
        return Secret.isValidName(name) ? store.find(tenant, name).map(EncryptedSecret::metadata) : Optional.empty();
    }

    /**
     * Stores a new secret. Empty when the tenant has one with that name. Throws {@link TooManySecretsException} when
     * the tenant has the maximum number.
     */
    public Optional<Secret> create(String tenant, String name, String value, String by) {
        Secret.SecretActivity now = new Secret.SecretActivity(clock.instant(), by);
        Secret secret = new Secret(tenant, name, 1, now, now, Optional.empty());
        AddSecretResult added = store.add(cipher.encrypt(secret, value), maxSecrets);
        if (added == AddSecretResult.TOO_MANY) {
            throw new TooManySecretsException(maxSecrets);
        } else if (added == AddSecretResult.EXISTS) {
            return Optional.empty();
        }
        refresh();
        return Optional.of(secret);
    }

    /** Replaces the value of a secret. Empty when there is none with that name. */
    public Optional<Secret> rotate(String tenant, String name, String value, String by) {
        for (Optional<Secret> before = find(tenant, name); before.isPresent(); before = find(tenant, name)) {
            Secret old = before.get();
            Secret next = new Secret(
                    tenant,
                    name,
                    old.version() + 1,
                    old.created(),
                    new Secret.SecretActivity(clock.instant(), by),
                    old.used());
            if (store.replace(cipher.encrypt(next, value), old.version())) {
                refresh();
                return Optional.of(next);
            }
        }
        return Optional.empty();
    }

    /** Deletes a secret. Returns false when there is none with that name. */
    public boolean delete(String tenant, String name) {
        boolean deleted = Secret.isValidName(name) && store.remove(tenant, name);
        refresh();
        return deleted;
    }

    /**
     * Returns the value of a secret for the backend {@code by}, and redacts it for the tenant from then on. Throws
     * {@link SecretUnreadableException} when the value is not available.
     */
    public String resolveValue(String tenant, String name, String by) {
        String value = readValue(tenant, name);
        recordUse(tenant, name, by);
        return value;
    }

    /**
     * Returns the value of a secret like {@link #resolveValue}, without recording its use: for callers that have not
     * yet verified a request.
     */
    public String readValue(String tenant, String name) {
        EncryptedSecret sealed =
                Secret.isValidName(name) ? store.find(tenant, name).orElse(null) : null;
        if (sealed == null) {
            throw new SecretUnreadableException("secret '" + name + "' is not stored");
        }
        return decryptAndRemember(sealed);
    }

    /** Records that {@code by} used a secret. A failure is not reported. */
    public void recordUse(String tenant, String name, String by) {
        try {
            store.markUsed(tenant, name, new Secret.SecretActivity(clock.instant(), by));
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "the last use of a secret could not be stored", e);
        }
    }

    /**
     * Returns the value of a secret for a variable, and redacts it for the tenant from then on. Empty when the secret
     * is not stored or its stored value is damaged. Throws {@link SecretKeyMissingException} when this node does not
     * have its key.
     */
    Optional<SecretReading> read(String tenant, String name) {
        try {
            return store.find(tenant, name)
                    .map(stored -> new SecretReading(
                            decryptAndRemember(stored), stored.metadata().versionStamp()));
        } catch (SecretKeyMissingException e) {
            throw e;
        } catch (SecretUnreadableException e) {
            LOG.log(Level.WARNING, "tenant {0}: {1}", tenant, e.getMessage());
            return Optional.empty();
        }
    }

    private String decryptAndRemember(EncryptedSecret sealed) {
        String value = cipher.decrypt(sealed);
        remember(sealed.metadata(), value);
        return value;
    }

    /** Encrypts the variables of an execution of the tenant. */
    String encryptVariables(String tenant, String text) {
        EncryptedSecret encrypted = cipher.encrypt(variablesOf(tenant), text);
        return encrypted.keyId() + ":" + encrypted.ciphertext();
    }

    /** Decrypts variables of the tenant. Throws {@link SecretUnreadableException}. */
    String decryptVariables(String tenant, String encrypted) {
        int colon = encrypted.indexOf(':');
        if (colon < 0) {
            throw new SecretUnreadableException("the variables of the execution are damaged");
        }
        return cipher.decrypt(new EncryptedSecret(
                variablesOf(tenant), encrypted.substring(0, colon), encrypted.substring(colon + 1)));
    }

    /** The name is no valid name of a secret, so neither of both decrypts as the other. */
    private static Secret variablesOf(String tenant) {
        Secret.SecretActivity never = new Secret.SecretActivity(Instant.EPOCH, "");
        return new Secret(tenant, "variables of an execution", 1, never, never, Optional.empty());
    }

    /**
     * Redacts values for the tenant, until this node restarts, even if no secret has them any more. Keeps the newest
     * {@value #MAX_PINNED_VALUES} values of a tenant.
     */
    synchronized void redactFromNowOn(String tenant, List<String> values) {
        Set<String> known = pinnedValues.computeIfAbsent(tenant, any -> new LinkedHashSet<>());
        boolean changed = false;
        for (String value : values) {
            changed |= !known.remove(value);
            known.add(value);
        }
        if (changed) {
            while (known.size() > MAX_PINNED_VALUES) {
                known.remove(known.iterator().next());
            }
            rebuildRedactors();
        }
    }

    private synchronized void remember(Secret secret, String value) {
        TenantSecretName place = new TenantSecretName(secret.tenant(), secret.name());
        KnownSecretValues before = knownValues.get(place);
        if (before == null
                || !before.versionStamp().equals(secret.versionStamp())
                || before.values().isEmpty()) {
            knownValues.put(place, withNewest(before, secret.versionStamp(), value));
            rebuildRedactors();
        }
    }

    private static KnownSecretValues withNewest(
            @org.jspecify.annotations.Nullable KnownSecretValues before, String stamp, String value) {
        List<String> values = new ArrayList<>(List.of(value));
        if (before != null) {
            before.values().stream()
                    .filter(known -> !known.equals(value))
                    .limit(MAX_VALUES_KEPT - 1)
                    .forEach(values::add);
        }
        return new KnownSecretValues(stamp, values);
    }

    /** Returns the redactor of the tenant's secrets; costs one map lookup. */
    public Redactor redactorFor(String tenant) {
        return redactors.getOrDefault(tenant, Redactor.NONE);
    }

    /**
     * Returns the version stamps of the named secrets of the tenant as of the last refresh. Another stamp means another
     * value.
     */
    public Map<String, String> versionStamps(String tenant, Set<String> names) {
        Map<String, String> there = new TreeMap<>(stampsByTenant.getOrDefault(tenant, Map.of()));
        there.keySet().retainAll(names);
        return there;
    }

    /** Reads the changes of all nodes. */
    public synchronized void refresh() {
        List<Secret> all = store.listAll();
        Set<TenantSecretName> there = new HashSet<>();
        boolean changed = false;
        for (Secret secret : all) {
            TenantSecretName place = new TenantSecretName(secret.tenant(), secret.name());
            there.add(place);
            KnownSecretValues before = knownValues.get(place);
            if (before == null || !before.versionStamp().equals(secret.versionStamp())) {
                knownValues.put(place, readValues(before, secret));
                changed = true;
            }
        }
        changed |= knownValues.keySet().retainAll(there);
        Map<String, Map<String, String>> now = new HashMap<>();
        all.forEach(secret -> now.computeIfAbsent(secret.tenant(), tenant -> new HashMap<>())
                .put(secret.name(), secret.versionStamp()));
        stampsByTenant = now;
        if (changed) {
            rebuildRedactors();
        }
    }

    private KnownSecretValues readValues(@org.jspecify.annotations.Nullable KnownSecretValues before, Secret secret) {
        Optional<EncryptedSecret> sealed = store.find(secret.tenant(), secret.name());
        try {
            if (sealed.isPresent()) {
                return withNewest(before, sealed.get().metadata().versionStamp(), cipher.decrypt(sealed.get()));
            }
        } catch (SecretUnreadableException e) {
            LOG.log(Level.WARNING, "tenant {0}: {1}", secret.tenant(), e.getMessage());
        }
        return new KnownSecretValues(secret.versionStamp(), before == null ? List.of() : before.values());
    }

    private void rebuildRedactors() {
        Map<String, Set<String>> values = new HashMap<>();
        knownValues.forEach((place, one) -> values.computeIfAbsent(place.tenant(), tenant -> new HashSet<>())
                .addAll(one.values()));
        pinnedValues.forEach((tenant, pinned) ->
                values.computeIfAbsent(tenant, any -> new HashSet<>()).addAll(pinned));
        Map<String, Redactor> next = new HashMap<>();
        values.forEach((tenant, secrets) -> next.put(tenant, new Redactor(secrets)));
        redactors = next;
    }

    /** Encrypts again the secrets that an older key of this node encrypted. Returns their number. */
    public int reencrypt() {
        int resealed = 0;
        for (Secret secret : store.listAll()) {
            Optional<EncryptedSecret> sealed = store.find(secret.tenant(), secret.name());
            if (sealed.isPresent()
                    && cipher.hasKey(sealed.get().keyId())
                    && !cipher.isCurrentKey(sealed.get().keyId())) {
                resealed += reencrypt(sealed.get()) ? 1 : 0;
            }
        }
        return resealed;
    }

    /** A secret that cannot be decrypted affects only its backends and must not prevent the start. */
    private boolean reencrypt(EncryptedSecret sealed) {
        Secret about = sealed.metadata();
        try {
            return store.replace(cipher.encrypt(about, cipher.decrypt(sealed)), about.version());
        } catch (SecretUnreadableException e) {
            LOG.log(Level.WARNING, "tenant {0}: {1}", about.tenant(), e.getMessage());
            return false;
        }
    }
}
