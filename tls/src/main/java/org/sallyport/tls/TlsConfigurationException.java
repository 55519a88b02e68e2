package org.sallyport.tls;

/**
 * A certificate, a key, or a setting with their location is unusable. The message names the setting and contains no
 * secret.
 */
public final class TlsConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    /** @param setting the setting, or another name by which the user knows the file */
    TlsConfigurationException(String setting, String reason) {
        super(setting + ": " + reason);
    }
}
