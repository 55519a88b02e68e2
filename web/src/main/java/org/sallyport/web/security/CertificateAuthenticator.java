package org.sallyport.web.security;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.cert.X509Certificate;
import java.util.Optional;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.TlsSettings;
import org.sallyport.identity.mtls.ClientCertificateMapper;

/**
 * Applies the TLS mode to requests: checks that a request came over TLS where the settings require it, and maps the
 * client certificate to a caller. Thread-safe.
 */
@Dependent
public class CertificateAuthenticator {
    /** The attribute in which the servlet specification provides the client certificate of the handshake. */
    static final String CERTIFICATE_ATTRIBUTE = "jakarta.servlet.request.X509Certificate";

    /** Half a year. Without {@code includeSubDomains}, because subdomains may belong to others. */
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

    /**
     * Whether a request came without the TLS or the client certificate that the settings require. If so, the listener
     * is not configured as the settings say.
     */
    boolean violatesTlsMode(HttpServletRequest request) {
        return tlsRequired && !request.isSecure()
                || mutualTls && clientCertificate(request).isEmpty();
    }

    /** Tells browsers to use TLS only from now on. */
    void addHstsHeader(HttpServletResponse response) {
        if (tlsRequired) {
            response.setHeader("Strict-Transport-Security", HSTS_VALUE);
        }
    }

    /**
     * Authenticates the caller by client certificate alone; empty if there is none that is mapped. A browser sends the
     * certificate for requests of any page, so requests of other origins are refused.
     */
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
