package org.sallyport.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.SecretSettings;
import org.sallyport.secrets.SecretCipher;
import org.sallyport.secrets.SecretKeyFile;
import org.sallyport.secrets.SecretStore;
import org.sallyport.secrets.SecretVault;

/** Opens the vault with the installation's encryption keys. */
final class SecretVaultFactory {
    private static final String DEFAULT_KEY_FILE = "secrets.key";

    private SecretVaultFactory() {}

    static SecretVault open(
            Configuration configuration, Path data, SecretStore store, InstantSource clock, SecureRandom random) {
        SecretVault vault = new SecretVault(
                store, keys(configuration, data, random), clock, configuration.getInt(SecretSettings.MAX_PER_TENANT));
        vault.refresh();
        int resealed = vault.reencrypt();
        if (resealed > 0) {
            System.getLogger(SecretVaultFactory.class.getName())
                    .log(Level.INFO, "{0} secrets were re-encrypted with the new key", resealed);
        }
        return vault;
    }

    private static SecretCipher keys(Configuration configuration, Path data, SecureRandom random) {
        String set = configuration.get(SecretSettings.ENCRYPTION_KEYS);
        String named = configuration.get(SecretSettings.KEY_FILE);
        Path file = named.isEmpty() ? data.resolve(DEFAULT_KEY_FILE) : Path.of(named);
        try {
            if (!set.isEmpty()) {
                return SecretCipher.parse(set, random);
            }
            // Only for the default file: a mistyped file name must not create a new key.
            return named.isEmpty()
                    ? SecretKeyFile.loadOrCreate(file, random)
                    : SecretCipher.parse(Files.readString(file), random);
        } catch (IllegalArgumentException e) {
            String setting = set.isEmpty()
                    ? SecretSettings.KEY_FILE.name() + " '" + file + "'"
                    : SecretSettings.ENCRYPTION_KEYS.name();
            throw new InvalidConfigurationException(List.of(setting + ": " + e.getMessage()));
        } catch (IOException e) {
            throw new InvalidConfigurationException(
                    List.of(SecretSettings.KEY_FILE.name() + " '" + file + "' cannot be read: " + e.getMessage()));
        }
    }
}
