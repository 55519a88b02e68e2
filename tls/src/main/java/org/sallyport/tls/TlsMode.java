package org.sallyport.tls;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How callers speak to the service. */
public enum TlsMode {
    /** In the clear. */
    INSECURE,
    /** By TLS; callers show no certificate. */
    TLS,
    /** By TLS, and callers show a certificate of an authority that is named. */
    MTLS;

    /** As it is written in settings. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The mode of that name, if it is one. */
    public static Optional<TlsMode> of(String text) {
        return Arrays.stream(values()).filter(mode -> mode.text().equals(text)).findFirst();
    }

    /** All names. */
    public static List<String> texts() {
        return Arrays.stream(values()).map(TlsMode::text).toList();
    }
}
