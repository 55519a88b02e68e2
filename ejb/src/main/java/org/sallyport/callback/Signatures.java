package org.sallyport.callback;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;

/** Signs what is sent, each with its tenant's secret. Thread-safe. */
public final class Signatures {
    /** How long the secret before signs too, so that a receiver can change over. */
    public static final Duration OVERLAP = Duration.ofHours(24);

    private static final int SALT_BYTES = 24;

    private final CallbackStore store;
    private final SigningKey key;
    private final SecureRandom random;

    public Signatures(CallbackStore store, SigningKey key, SecureRandom random) {
        this.store = store;
        this.key = key;
        this.random = random;
    }

    /** Makes another secret for a tenant, to be shown once. */
    public String renew(String tenant) {
        String salt = SigningKey.noise(random, SALT_BYTES);
        String secret = key.secret(tenant, salt);
        store.putSalt(tenant, salt, SigningKey.print(secret), OVERLAP);
        return secret;
    }

    /** Whether the tenant has a secret. */
    public boolean has(String tenant) {
        return store.salt(tenant).isPresent();
    }

    /**
     * The header that proves where a body comes from; empty when this node cannot make it: its key is not the one that the tenant's
     * secret was made with.
     */
    Optional<String> header(String tenant, long epochSecond, byte[] body) {
        return store.salt(tenant)
                .filter(salt ->
                        SigningKey.print(key.secret(tenant, salt.salt())).equals(salt.print()))
                .map(salt -> {
                    StringBuilder header = new StringBuilder("t=").append(epochSecond);
                    sign(header, key.secret(tenant, salt.salt()), epochSecond, body);
                    salt.previous().ifPresent(before -> sign(header, key.secret(tenant, before), epochSecond, body));
                    return header.toString();
                });
    }

    private static void sign(StringBuilder header, String secret, long epochSecond, byte[] body) {
        header.append(",v1=").append(SigningKey.signature(secret, epochSecond, body));
    }
}
