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
 * How a client speaks TLS to a service.
 *
 * @param authorities PEM file of those whose certificates a service may have; empty: those that Java trusts
 * @param certificate PEM file of the client's own certificate, with its chain
 * @param key PEM file of the key to it
 */
public record ClientTls(Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key) {
    /** What the settings are called, for messages. */
    public static final String AUTHORITIES = "SALLYPORT_CA_FILE";

    public static final String CERTIFICATE = "SALLYPORT_CLIENT_CERT";
    public static final String KEY = "SALLYPORT_CLIENT_KEY";

    private static final Identity.Place.Names NAMES = new Identity.Place.Names("", "", CERTIFICATE, KEY);

    /** Whether anything is set. */
    public boolean isEmpty() {
        return authorities.isEmpty() && certificate.isEmpty() && key.isEmpty();
    }

    /** What connections are made with; the files are read once. */
    public SSLContext context() throws UnusableException {
        InstantSource clock = InstantSource.system();
        try {
            TrustManager[] trust = null;
            if (authorities.isPresent()) {
                var place = new Authorities.Place(authorities.get(), Optional.empty(), AUTHORITIES, AUTHORITIES);
                trust = new TrustManager[] {
                    new Renewed<>(place, Duration.ZERO, clock).value().trust()
                };
            }
            var own = new Identity.Place(Optional.empty(), Optional.empty(), certificate, key, NAMES);
            own.check();
            KeyManager[] keys = null;
            if (!own.isEmpty()) {
                var identity = new Renewed<>(own, Duration.ofDays(1), clock);
                identity.value();
                keys = new KeyManager[] {new OwnKey(identity)};
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java VM knows TLS", e);
        }
    }
}
