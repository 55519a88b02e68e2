package org.sallyport.web.security;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.cert.X509Certificate;
import java.util.Optional;
import org.sallyport.access.Caller;
import org.sallyport.certificate.Certificates;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.TlsSettings;

/**
 * What TLS means for requests: what must have come by it, and whom the certificate of the handshake stands for. Thread-safe.
 */
@Dependent
public class CertificateDoor {
    /** Where the servlet specification puts what the handshake has checked. */
    static final String CHAIN = "jakarta.servlet.request.X509Certificate";

    /** Half a year; the names below ours are not ours to speak for. */
    private static final String STRICT = "max-age=15552000";

    private final Certificates certificates;
    private final boolean encrypted;
    private final boolean mutual;

    @Inject
    public CertificateDoor(Certificates certificates, Configuration configuration) {
        this.certificates = certificates;
        this.mutual = configuration.get(TlsSettings.MODE).equals(TlsSettings.MTLS);
        this.encrypted = mutual || configuration.get(TlsSettings.MODE).equals(TlsSettings.TLS);
    }

    /** Whether a request came in a way in which none is to come: the listener is not what the settings say. */
    boolean isAround(HttpServletRequest request) {
        return encrypted && !request.isSecure() || mutual && shown(request).isEmpty();
    }

    /** Has browsers come back by TLS alone. */
    void keepEncrypted(HttpServletResponse response) {
        if (encrypted) {
            response.setHeader("Strict-Transport-Security", STRICT);
        }
    }

    /** Who asks, by certificate alone. A browser shows it whoever made the request, so pages of other origins get nothing by it. */
    Optional<Caller> caller(HttpServletRequest request) {
        if (!mutual || !certificates.areTaken()) {
            return Optional.empty();
        }
        Optional<Caller> caller = shown(request).flatMap(certificates::caller);
        caller.ifPresent(known -> SameOrigin.check(request));
        return caller;
    }

    private static Optional<X509Certificate> shown(HttpServletRequest request) {
        return request.getAttribute(CHAIN) instanceof X509Certificate[] chain && chain.length > 0
                ? Optional.of(chain[0])
                : Optional.empty();
    }
}
