package org.sallyport.callback;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;

/** Signs callbacks, each with its tenant's secret. Thread-safe. */
public final class CallbackSigner {
    /** How long the previous secret also signs after a rotation, so that receivers can switch. */
    public static final Duration ROTATION_OVERLAP = Duration.ofHours(24);

    private static final int SALT_BYTES = 24;

    private final CallbackStore store;
    private final CallbackSigningKey key;
    private final SecureRandom random;

    public CallbackSigner(CallbackStore store, CallbackSigningKey key, SecureRandom random) {
        this.store = store;
        this.key = key;
        this.random = random;
    }

    /** Generates a new secret for a tenant and returns it; it is shown only once. */
    public String rotateSecret(String tenant) {
        String salt = CallbackSigningKey.randomText(random, SALT_BYTES);
        String secret = key.deriveSecret(tenant, salt);
        store.replaceSalt(tenant, salt, CallbackSigningKey.fingerprint(secret), ROTATION_OVERLAP);
        return secret;
    }

    /** Returns whether the tenant has a secret. */
    public boolean hasSecret(String tenant) {
        return store.findSalt(tenant).isPresent();
    }

    /**
     * Returns the header that authenticates a body; empty when this node cannot sign, because its key is not the one
     * from which the tenant's secret was derived.
     */
    Optional<String> signatureHeader(String tenant, long epochSecond, byte[] body) {
        return store.findSalt(tenant)
                .filter(salt -> CallbackSigningKey.fingerprint(key.deriveSecret(tenant, salt.salt()))
                        .equals(salt.fingerprint()))
                .map(salt -> {
                    StringBuilder header = new StringBuilder("t=").append(epochSecond);
                    appendSignature(header, key.deriveSecret(tenant, salt.salt()), epochSecond, body);
                    salt.previousSalt()
                            .ifPresent(before ->
                                    appendSignature(header, key.deriveSecret(tenant, before), epochSecond, body));
                    return header.toString();
                });
    }

    private static void appendSignature(StringBuilder header, String secret, long epochSecond, byte[] body) {
        header.append(",v1=").append(CallbackSigningKey.sign(secret, epochSecond, body));
    }
}
