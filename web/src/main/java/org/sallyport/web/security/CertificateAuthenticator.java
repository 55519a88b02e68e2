package org.sallyport.web.security;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.cert.X509Certificate;
import java.util.Optional;
import org.sallyport.access.Caller;
import org.sallyport.certificate.ClientCertificateMapper;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.TlsSettings;

/**
 * What TLS means for requests: what must have come by it, and whom the certificate of the handshake stands for. Thread-safe.
 */
@Dependent
public class CertificateAuthenticator {
    /** Where the servlet specification puts what the handshake has checked. */
    static final String CERTIFICATE_ATTRIBUTE = "jakarta.servlet.request.X509Certificate";

    /** Half a year; the names below ours are not ours to speak for. */
    private static final String HSTS_VALUE = "max-age=15552000";

    private final ClientCertificateMapper certificates;
    private final boolean tlsRequired;
    private final boolean mutualTls;

    @Inject
    public CertificateAuthenticator(ClientCertificateMapper certificates, Configuration configuration) {
        this.certificates = certificates;
        this.mutualTls = configuration.get(TlsSettings.MODE).equals(TlsSettings.MTLS);
        this.tlsRequired = mutualTls || configuration.get(TlsSettings.MODE).equals(TlsSettings.TLS);
    }

    /** Whether a request came in a way in which none is to come: the listener is not what the settings say. */
    boolean violatesTlsMode(HttpServletRequest request) {
        return tlsRequired && !request.isSecure()
                || mutualTls && clientCertificate(request).isEmpty();
    }

    /** Has browsers come back by TLS alone. */
    void addHstsHeader(HttpServletResponse response) {
        if (tlsRequired) {
            response.setHeader("Strict-Transport-Security", HSTS_VALUE);
        }
    }

    /** Who asks, by certificate alone. A browser shows it whoever made the request, so pages of other origins get nothing by it. */
    Optional<Caller> authenticate(HttpServletRequest request) {
        if (!mutualTls || !certificates.isEnabled()) {
            return Optional.empty();
        }
        Optional<Caller> caller = clientCertificate(request).flatMap(certificates::findCaller);
        caller.ifPresent(known -> SameOriginCheck.check(request));
        return caller;
    }

    private static Optional<X509Certificate> clientCertificate(HttpServletRequest request) {
        return request.getAttribute(CERTIFICATE_ATTRIBUTE) instanceof X509Certificate[] chain && chain.length > 0
                ? Optional.of(chain[0])
                : Optional.empty();
    }
}
