package org.sallyport.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts servers whose certificates come from the authorities that the file contains at the time of the handshake.
 * Thread-safe.
 */
final class ReloadingServerTrustManager extends X509ExtendedTrustManager {
    private final ReloadingFile<TrustedCertificates> authorities;

    ReloadingServerTrustManager(ReloadingFile<TrustedCertificates> authorities) {
        this.authorities = authorities;
    }

    private X509ExtendedTrustManager current() throws CertificateException {
        try {
            return authorities.value().trustManager();
        } catch (TlsConfigurationException e) {
            throw new CertificateException(e.getMessage(), e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        current().checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        current().checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        current().checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw clientsNotTrusted();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw clientsNotTrusted();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw clientsNotTrusted();
    }

    private static CertificateException clientsNotTrusted() {
        return new CertificateException("these authorities are trusted for server certificates only");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        try {
            return current().getAcceptedIssuers();
        } catch (CertificateException e) {
            return new X509Certificate[0];
        }
    }
}
