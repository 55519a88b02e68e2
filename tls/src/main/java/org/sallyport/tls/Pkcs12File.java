package org.sallyport.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;

/** Opens PKCS #12 files. */
final class Pkcs12File {
    private Pkcs12File() {}

    /**
     * Opens a keystore.
     *
     * @param setting the setting that names the file
     * @param passwordSetting the setting that holds its password
     * @throws TlsConfigurationException if the password is wrong or the content cannot be read; it names the setting at
     *     fault
     */
    static KeyStore open(byte[] content, String password, String setting, String passwordSetting)
            throws TlsConfigurationException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(content), password.toCharArray());
            return store;
        } catch (IOException e) {
            if (e.getCause() instanceof UnrecoverableKeyException) {
                throw new TlsConfigurationException(
                        passwordSetting, "is not the password of the file that " + setting + " names");
            }
            throw new TlsConfigurationException(setting, "is no PKCS #12 file, or a damaged one");
        } catch (GeneralSecurityException e) {
            throw new TlsConfigurationException(setting, "is encrypted in a way that this Java VM does not support");
        }
    }
}
