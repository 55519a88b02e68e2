package org.sallyport.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts client certificates of the authorities that the files currently contain. The trust covers one connection.
 * Thread-safe.
 */
final class ReloadingClientTrustManager extends X509ExtendedTrustManager {
    private final Optional<ReloadingFile<TrustedCertificates>> authorities;

    /** @param authorities without them no client is trusted */
    ReloadingClientTrustManager(Optional<ReloadingFile<TrustedCertificates>> authorities) {
        this.authorities = authorities;
    }

    private X509ExtendedTrustManager current() throws CertificateException {
        if (authorities.isEmpty()) {
            throw new CertificateException("client certificates are not requested");
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
        // A resumed session would present no certificate and stay trusted, even if the certificate or its authority no
        // longer is.
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
        return new CertificateException("these authorities are trusted for client certificates only");
    }

    /** Sent to clients, so that they choose a suitable certificate. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        try {
            return authorities.isEmpty() ? new X509Certificate[0] : current().getAcceptedIssuers();
        } catch (CertificateException e) {
            return new X509Certificate[0];
        }
    }
}
