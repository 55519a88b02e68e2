package org.sallyport.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;

/**
 * TLS of inbound connections: mode, certificate and authorities of clients.
 *
 * @param reloadInterval how long the files count as unchanged
 */
public record InboundTls(
        TlsMode mode,
        KeyAndCertificate.KeyAndCertificateFiles ownKey,
        Optional<TrustedCertificates.TrustedCertificatesFile> trustedCallers,
        Duration reloadInterval) {
    private static final String MODE = "sallyport.tls.mode";
    private static final String KEYSTORE = "sallyport.tls.keystore";
    private static final String CERTIFICATE = "sallyport.tls.certificate";
    private static final String TRUSTSTORE = "sallyport.tls.truststore";
    private static final KeyAndCertificate.KeyAndCertificateFiles.KeySettingNames NAMES =
            new KeyAndCertificate.KeyAndCertificateFiles.KeySettingNames(
                    KEYSTORE, "sallyport.tls.keystore-password", CERTIFICATE, "sallyport.tls.key");
    private static final String RELOAD = "sallyport.tls.reload-millis";
    private static final long DEFAULT_RELOAD_MILLIS = 10_000;

    /**
     * Reads the settings.
     *
     * @param settings returns the value of a setting; empty where it is not set or blank
     */
    public static InboundTls from(Function<String, Optional<String>> settings) throws TlsConfigurationException {
        TlsMode mode = TlsMode.of(MODE, settings);
        KeyAndCertificate.KeyAndCertificateFiles own = new KeyAndCertificate.KeyAndCertificateFiles(
                settings.apply(KEYSTORE).map(Path::of),
                settings.apply(NAMES.password()),
                settings.apply(CERTIFICATE).map(Path::of),
                settings.apply(NAMES.key()).map(Path::of),
                NAMES);
        Optional<TrustedCertificates.TrustedCertificatesFile> callers = settings.apply(TRUSTSTORE)
                .map(file -> new TrustedCertificates.TrustedCertificatesFile(
                        Path.of(file),
                        settings.apply("sallyport.tls.truststore-password"),
                        TRUSTSTORE,
                        "sallyport.tls.truststore-password"));
        return new InboundTls(mode, own, callers, reloadInterval(settings));
    }

    /** Returns how long files count as unchanged; one setting for all files. */
    static Duration reloadInterval(Function<String, Optional<String>> settings) throws TlsConfigurationException {
        try {
            return Duration.ofMillis(settings.apply(RELOAD).map(Long::parseLong).orElse(DEFAULT_RELOAD_MILLIS));
        } catch (NumberFormatException e) {
            throw new TlsConfigurationException(RELOAD, "must be a whole number");
        }
    }

    /** Throws for contradictory settings, and for files that are unusable now. */
    public void validate(InstantSource clock) throws TlsConfigurationException {
        ownKey.validate();
        if (mode == TlsMode.INSECURE) {
            if (!ownKey.isEmpty()) {
                throw new TlsConfigurationException(
                        ownKey.keystore().isPresent() ? KEYSTORE : CERTIFICATE,
                        "must not be set while " + MODE + " is insecure");
            }
        } else {
            if (ownKey.isEmpty()) {
                throw new TlsConfigurationException(
                        MODE,
                        "'" + mode.text() + "' needs a certificate: set " + KEYSTORE + ", or " + CERTIFICATE + " and "
                                + NAMES.key());
            }
            reloadingKey(clock).value();
        }
        if (trustedCallers.isPresent() != (mode == TlsMode.MTLS)) {
            throw new TlsConfigurationException(
                    TRUSTSTORE,
                    trustedCallers.isPresent()
                            ? "may be set only when " + MODE + " is mtls"
                            : "must be set where " + MODE + " is mtls: it names the authorities whose client"
                                    + " certificates are accepted");
        }
        if (trustedCallers.isPresent()) {
            reloadingTrust(clock).value();
        }
    }

    ReloadingFile<KeyAndCertificate> reloadingKey(InstantSource clock) {
        return new ReloadingFile<>(ownKey, reloadInterval, clock);
    }

    ReloadingFile<TrustedCertificates> reloadingTrust(InstantSource clock) {
        return new ReloadingFile<>(
                trustedCallers.orElseThrow(
                        () -> new IllegalStateException("there are no trusted certificates without" + " mtls")),
                reloadInterval,
                clock);
    }
}
