package org.sallyport.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedTrustManager;

/** Believes callers whose certificates come from the authorities that the files hold at the time, for one connection. Thread-safe. */
final class CallerTrust extends X509ExtendedTrustManager {
    private final Optional<Renewed<Authorities>> authorities;

    /** @param authorities without them nobody is believed */
    CallerTrust(Optional<Renewed<Authorities>> authorities) {
        this.authorities = authorities;
    }

    private X509ExtendedTrustManager now() throws CertificateException {
        if (authorities.isEmpty()) {
            throw new CertificateException("certificates of callers are not asked for");
        }
        try {
            return authorities.get().value().trust();
        } catch (UnusableException e) {
            throw new CertificateException(e.getMessage(), e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        now().checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        now().checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        now().checkClientTrusted(chain, type, engine);
        // Whoever resumed it would show no certificate again, and be believed whatever had become of that or of its
        // authority.
        SSLSession session = engine.getHandshakeSession();
        if (session != null) {
            session.invalidate();
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw noServer();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw noServer();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw noServer();
    }

    private static CertificateException noServer() {
        return new CertificateException("these authorities speak for callers alone");
    }

    /** Told to callers, so that they choose a certificate that counts. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        try {
            return authorities.isEmpty() ? new X509Certificate[0] : now().getAcceptedIssuers();
        } catch (CertificateException e) {
            return new X509Certificate[0];
        }
    }
}
