package org.sallyport.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Believes servers whose certificates come from the authorities that the file holds at the time of the handshake. Thread-safe. */
final class ServerTrust extends X509ExtendedTrustManager {
    private final Renewed<Authorities> authorities;

    ServerTrust(Renewed<Authorities> authorities) {
        this.authorities = authorities;
    }

    private X509ExtendedTrustManager now() throws CertificateException {
        try {
            return authorities.value().trust();
        } catch (UnusableException e) {
            throw new CertificateException(e.getMessage(), e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        now().checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        now().checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        now().checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw noClient();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw noClient();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw noClient();
    }

    private static CertificateException noClient() {
        return new CertificateException("these authorities speak for servers alone");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        try {
            return now().getAcceptedIssuers();
        } catch (CertificateException e) {
            return new X509Certificate[0];
        }
    }
}
