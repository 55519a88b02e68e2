package org.sallyport.web.api;

import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import org.sallyport.secrets.SecretCipher;
import org.sallyport.secrets.SecretStore;
import org.sallyport.secrets.SecretVault;

/** Creates vaults that have no secrets and take none. */
final class VaultWithoutSecrets {
    private VaultWithoutSecrets() {}

    static SecretVault create() {
        SecretStore store = (SecretStore) Proxy.newProxyInstance(
                SecretStore.class.getClassLoader(), new Class<?>[] {SecretStore.class}, (proxy, called, given) -> {
                    if (called.getName().equals("listAll")) {
                        return List.of();
                    }
                    throw new UnsupportedOperationException(called.toString());
                });
        SecretCipher cipher = new SecretCipher(List.of(new byte[SecretCipher.KEY_BYTES]), new SecureRandom());
        return new SecretVault(store, cipher, InstantSource.system(), 0);
    }
}
