package org.sallyport.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedTrustManager;

/** Believes callers whose certificates come from the authorities that the files hold at the time, for one connection. Thread-safe. */
final class ReloadingClientTrustManager extends X509ExtendedTrustManager {
    private final Optional<ReloadingFile<TrustedCertificates>> authorities;

    /** @param authorities without them nobody is believed */
    ReloadingClientTrustManager(Optional<ReloadingFile<TrustedCertificates>> authorities) {
        this.authorities = authorities;
    }

    private X509ExtendedTrustManager current() throws CertificateException {
        if (authorities.isEmpty()) {
            throw new CertificateException("certificates of callers are not asked for");
        }
        try {
            return authorities.get().value().trustManager();
        } catch (TlsConfigurationException e) {
            throw new CertificateException(e.getMessage(), e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        current().checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        current().checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        current().checkClientTrusted(chain, type, engine);
        // Whoever resumed it would show no certificate again, and be believed whatever had become of that or of its
        // authority.
        SSLSession session = engine.getHandshakeSession();
        if (session != null) {
            session.invalidate();
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw serversNotTrusted();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw serversNotTrusted();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw serversNotTrusted();
    }

    private static CertificateException serversNotTrusted() {
        return new CertificateException("these authorities speak for callers alone");
    }

    /** Told to callers, so that they choose a certificate that counts. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        try {
            return authorities.isEmpty() ? new X509Certificate[0] : current().getAcceptedIssuers();
        } catch (CertificateException e) {
            return new X509Certificate[0];
        }
    }
}
