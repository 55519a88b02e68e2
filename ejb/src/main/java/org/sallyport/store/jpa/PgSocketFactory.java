package org.sallyport.store.jpa;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Socket factory for TLS. PostgreSQL's driver creates an instance for each connection and layers TLS over its socket.
 */
public final class PgSocketFactory extends SSLSocketFactory {
    private final SSLSocketFactory sockets;

    /** @param name key of the settings in {@link PgTlsRegistry} */
    public PgSocketFactory(String name) {
        this.sockets = PgTlsRegistry.lookup(name).sslContexts().get().getSocketFactory();
    }

    @Override
    public Socket createSocket(Socket below, String host, int port, boolean close) throws IOException {
        return sockets.createSocket(below, host, port, close);
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return sockets.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return sockets.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return sockets.createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return sockets.createSocket(host, port, from, fromPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return sockets.createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
        return sockets.createSocket(host, port, from, fromPort);
    }
}
