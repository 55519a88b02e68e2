package org.sallyport.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;

/**
 * How the service speaks TLS, and where its certificate and the authorities of its callers are.
 *
 * @param pause how long files are believed to be as they were
 */
public record ServerTls(TlsMode mode, Identity.Place own, Optional<Authorities.Place> callers, Duration pause) {
    private static final String MODE = "sallyport.tls.mode";
    private static final String KEYSTORE = "sallyport.tls.keystore";
    private static final String CERTIFICATE = "sallyport.tls.certificate";
    private static final String TRUSTSTORE = "sallyport.tls.truststore";
    private static final Identity.Place.Names NAMES =
            new Identity.Place.Names(KEYSTORE, "sallyport.tls.keystore-password", CERTIFICATE, "sallyport.tls.key");
    private static final String RELOAD = "sallyport.tls.reload-millis";
    private static final long PAUSE_MILLIS = 10_000;

    /**
     * As settings say.
     *
     * @param settings the value of a setting by its name; empty where it is not set or blank
     */
    public static ServerTls from(Function<String, Optional<String>> settings) throws UnusableException {
        TlsMode mode = TlsMode.of(MODE, settings);
        Identity.Place own = new Identity.Place(
                settings.apply(KEYSTORE).map(Path::of),
                settings.apply(NAMES.password()),
                settings.apply(CERTIFICATE).map(Path::of),
                settings.apply(NAMES.key()).map(Path::of),
                NAMES);
        Optional<Authorities.Place> callers = settings.apply(TRUSTSTORE)
                .map(file -> new Authorities.Place(
                        Path.of(file),
                        settings.apply("sallyport.tls.truststore-password"),
                        TRUSTSTORE,
                        "sallyport.tls.truststore-password"));
        return new ServerTls(mode, own, callers, pause(settings));
    }

    /** How long files are believed to be as they were: one setting for all of them. */
    static Duration pause(Function<String, Optional<String>> settings) throws UnusableException {
        try {
            return Duration.ofMillis(settings.apply(RELOAD).map(Long::parseLong).orElse(PAUSE_MILLIS));
        } catch (NumberFormatException e) {
            throw new UnusableException(RELOAD, "must be a whole number");
        }
    }

    /** Says what cannot be: settings that do not go together, and files that cannot be used now. */
    public void check(InstantSource clock) throws UnusableException {
        own.check();
        if (mode == TlsMode.INSECURE) {
            if (!own.isEmpty()) {
                throw new UnusableException(
                        own.keystore().isPresent() ? KEYSTORE : CERTIFICATE,
                        "is of no use while " + MODE + " is insecure");
            }
        } else {
            if (own.isEmpty()) {
                throw new UnusableException(
                        MODE,
                        "'" + mode.text() + "' needs a certificate: set " + KEYSTORE + ", or " + CERTIFICATE + " and "
                                + NAMES.key());
            }
            identity(clock).value();
        }
        if (callers.isPresent() != (mode == TlsMode.MTLS)) {
            throw new UnusableException(
                    TRUSTSTORE,
                    callers.isPresent()
                            ? "is of no use unless " + MODE + " is mtls"
                            : "must be set where " + MODE + " is mtls: whose certificates callers may have");
        }
        if (callers.isPresent()) {
            authorities(clock).value();
        }
    }

    Renewed<Identity> identity(InstantSource clock) {
        return new Renewed<>(own, pause, clock);
    }

    Renewed<Authorities> authorities(InstantSource clock) {
        return new Renewed<>(
                callers.orElseThrow(() -> new IllegalStateException("there are none without mtls")), pause, clock);
    }
}
