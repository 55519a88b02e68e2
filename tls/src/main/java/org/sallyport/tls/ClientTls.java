package org.sallyport.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * TLS settings of a client of the service.
 *
 * @param authorities PEM file of the authorities to trust; empty for those that Java trusts
 * @param certificate PEM file of the client's certificate with its chain
 * @param key PEM file of the certificate's private key
 */
public record ClientTls(Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key) {
    /** Names of the settings, for messages. */
    public static final String AUTHORITIES = "SALLYPORT_CA_FILE";

    public static final String CERTIFICATE = "SALLYPORT_CLIENT_CERT";
    public static final String KEY = "SALLYPORT_CLIENT_KEY";

    private static final KeyAndCertificate.KeyAndCertificateFiles.KeySettingNames NAMES =
            new KeyAndCertificate.KeyAndCertificateFiles.KeySettingNames("", "", CERTIFICATE, KEY);

    /** Returns whether no setting is set. */
    public boolean isEmpty() {
        return authorities.isEmpty() && certificate.isEmpty() && key.isEmpty();
    }

    /** Returns the context for connections. Reads the files once. */
    public SSLContext context() throws TlsConfigurationException {
        InstantSource clock = InstantSource.system();
        try {
            TrustManager[] trust = null;
            if (authorities.isPresent()) {
                var place = new TrustedCertificates.TrustedCertificatesFile(
                        authorities.get(), Optional.empty(), AUTHORITIES, AUTHORITIES);
                trust = new TrustManager[] {
                    new ReloadingFile<>(place, Duration.ZERO, clock).value().trustManager()
                };
            }
            var own = new KeyAndCertificate.KeyAndCertificateFiles(
                    Optional.empty(), Optional.empty(), certificate, key, NAMES);
            own.validate();
            KeyManager[] keys = null;
            if (!own.isEmpty()) {
                var identity = new ReloadingFile<>(own, Duration.ofDays(1), clock);
                identity.value();
                keys = new KeyManager[] {new ReloadingKeyManager(identity)};
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java VM knows TLS", e);
        }
    }
}
