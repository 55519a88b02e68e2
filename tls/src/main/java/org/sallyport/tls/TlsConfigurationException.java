package org.sallyport.tls;

/** A certificate, a key or a setting that says where they are cannot be used; the message names the setting and holds no secret. */
public final class TlsConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    /** @param setting the setting, or what else the user knows the file by */
    TlsConfigurationException(String setting, String reason) {
        super(setting + ": " + reason);
    }
}
