package org.sallyport.tls;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Encryption of a connection. */
public enum TlsMode {
    /** No encryption. */
    INSECURE,
    /** TLS without client certificates. */
    TLS,
    /** TLS with client certificates of a configured authority. */
    MTLS;

    /** Returns the name in settings. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the mode with that name. Empty when there is none. */
    public static Optional<TlsMode> of(String text) {
        return Arrays.stream(values()).filter(mode -> mode.text().equals(text)).findFirst();
    }

    /** Reads the mode from a setting; {@link #INSECURE} where it is not set. */
    static TlsMode of(String setting, Function<String, Optional<String>> settings) throws TlsConfigurationException {
        String text = settings.apply(setting).orElse(INSECURE.text());
        return of(text).orElseThrow(() -> new TlsConfigurationException(
                setting + " '" + text + "'", "must be one of " + String.join(", ", texts())));
    }

    /** Returns all names. */
    public static List<String> texts() {
        return Arrays.stream(values()).map(TlsMode::text).toList();
    }
}
