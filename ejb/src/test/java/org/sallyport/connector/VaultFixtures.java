package org.sallyport.connector;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import org.sallyport.secrets.InMemorySecretStore;
import org.sallyport.secrets.SecretCipher;
import org.sallyport.secrets.SecretVault;

/** Secrets in memory. */
public final class VaultFixtures {
    /** Resolves secret references against an empty vault. */
    public static final SecretResolverFactory NO_SECRETS = new SecretResolverFactory(emptyVault());

    private VaultFixtures() {}

    /** A vault without secrets. */
    public static SecretVault emptyVault() {
        SecureRandom random = new SecureRandom();
        byte[] key = new byte[SecretCipher.KEY_BYTES];
        random.nextBytes(key);
        return new SecretVault(
                new InMemorySecretStore(), new SecretCipher(List.of(key), random), InstantSource.system(), 100);
    }
}
