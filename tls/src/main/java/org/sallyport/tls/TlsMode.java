package org.sallyport.tls;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** How callers speak to the service, and the service to others. */
public enum TlsMode {
    /** In the clear. */
    INSECURE,
    /** By TLS; clients show no certificate. */
    TLS,
    /** By TLS, and clients show a certificate of an authority that is named. */
    MTLS;

    /** As it is written in settings. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The mode of that name, if it is one. */
    public static Optional<TlsMode> of(String text) {
        return Arrays.stream(values()).filter(mode -> mode.text().equals(text)).findFirst();
    }

    /** What a setting says; {@link #INSECURE} where it says nothing. */
    static TlsMode of(String setting, Function<String, Optional<String>> settings) throws TlsConfigurationException {
        String text = settings.apply(setting).orElse(INSECURE.text());
        return of(text).orElseThrow(() -> new TlsConfigurationException(
                setting + " '" + text + "'", "must be one of " + String.join(", ", texts())));
    }

    /** All names. */
    public static List<String> texts() {
        return Arrays.stream(values()).map(TlsMode::text).toList();
    }
}
