package org.sallyport.wiring;

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
import org.sallyport.secret.KeyFile;
import org.sallyport.secret.SecretKeys;
import org.sallyport.secret.SecretStore;
import org.sallyport.secret.Vault;

/** Opens the vault with the installation's keys. */
final class Vaults {
    private static final String FILE = "secrets.key";

    private Vaults() {}

    static Vault open(
            Configuration configuration, Path data, SecretStore store, InstantSource clock, SecureRandom random) {
        Vault vault =
                new Vault(store, keys(configuration, data, random), clock, configuration.integer(SecretSettings.MOST));
        vault.refresh();
        int resealed = vault.reseal();
        if (resealed > 0) {
            System.getLogger(Vaults.class.getName())
                    .log(Level.INFO, "{0} secrets are sealed with the new key now", resealed);
        }
        return vault;
    }

    private static SecretKeys keys(Configuration configuration, Path data, SecureRandom random) {
        String set = configuration.get(SecretSettings.KEYS);
        String named = configuration.get(SecretSettings.KEY_FILE);
        Path file = named.isEmpty() ? data.resolve(FILE) : Path.of(named);
        try {
            if (!set.isEmpty()) {
                return SecretKeys.parse(set, random);
            }
            // Only where nobody named another: a mistyped name must not become a new key.
            return named.isEmpty() ? KeyFile.ensure(file, random) : SecretKeys.parse(Files.readString(file), random);
        } catch (IllegalArgumentException e) {
            String setting =
                    set.isEmpty() ? SecretSettings.KEY_FILE.name() + " '" + file + "'" : SecretSettings.KEYS.name();
            throw new InvalidConfigurationException(List.of(setting + ": " + e.getMessage()));
        } catch (IOException e) {
            throw new InvalidConfigurationException(
                    List.of(SecretSettings.KEY_FILE.name() + " '" + file + "' cannot be read: " + e.getMessage()));
        }
    }
}
