package org.sallyport.connector;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import org.sallyport.secret.MemorySecrets;
import org.sallyport.secret.SecretKeys;
import org.sallyport.secret.Vault;

/** Secrets in memory. */
public final class MemoryVault {
    /** To secrets of which there are none. */
    public static final SecretAccess ACCESS = new SecretAccess(fresh());

    private MemoryVault() {}

    /** One without secrets. */
    public static Vault fresh() {
        SecureRandom random = new SecureRandom();
        byte[] key = new byte[SecretKeys.KEY_BYTES];
        random.nextBytes(key);
        return new Vault(new MemorySecrets(), new SecretKeys(List.of(key), random), InstantSource.system(), 100);
    }
}
