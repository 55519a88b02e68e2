package org.sallyport.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A context for clients that always verifies the name in the server's certificate, even if the code that uses it does
 * not request that.
 */
final class HostnameVerifyingContext extends SSLContext {
    /** RFC 2818. Besides LDAP, Java knows only this algorithm; it is not specific to HTTP. */
    private static final String ALGORITHM = "HTTPS";

    /** @param name name that the certificate must contain instead of the connected host */
    HostnameVerifyingContext(SSLContext context, Optional<String> name) {
        super(new HostnameVerifyingContextSpi(context, name), context.getProvider(), context.getProtocol());
    }

    private static SSLParameters withHostnameCheck(SSLParameters parameters) {
        parameters.setEndpointIdentificationAlgorithm(ALGORITHM);
        return parameters;
    }

    private static final class HostnameVerifyingContextSpi extends SSLContextSpi {
        private final SSLContext context;
        private final Optional<String> name;

        HostnameVerifyingContextSpi(SSLContext context, Optional<String> name) {
            this.context = context;
            this.name = name;
        }

        @Override
        protected void engineInit(
                KeyManager @Nullable [] keys, TrustManager @Nullable [] trust, @Nullable SecureRandom random) {
            throw new IllegalStateException("the context is already initialized");
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            return new HostnameVerifyingSocketFactory(context.getSocketFactory(), name);
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            return engineCreateSSLEngine("", -1);
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            SSLEngine engine = context.createSSLEngine(name.orElse(host), port);
            engine.setUseClientMode(true);
            engine.setSSLParameters(withHostnameCheck(engine.getSSLParameters()));
            return engine;
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            throw new UnsupportedOperationException("server sockets are not supported");
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            return context.getServerSessionContext();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            return context.getClientSessionContext();
        }
    }

    /** Layers TLS over existing connections; creates no connections. */
    private static final class HostnameVerifyingSocketFactory extends SSLSocketFactory {
        private final SSLSocketFactory sockets;
        private final Optional<String> name;

        HostnameVerifyingSocketFactory(SSLSocketFactory sockets, Optional<String> name) {
            this.sockets = sockets;
            this.name = name;
        }

        @Override
        public Socket createSocket(Socket below, String host, int port, boolean close) throws IOException {
            SSLSocket socket = (SSLSocket) sockets.createSocket(below, name.orElse(host), port, close);
            socket.setSSLParameters(withHostnameCheck(socket.getSSLParameters()));
            return socket;
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
        public Socket createSocket(String host, int port) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw unsupported();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
            throw unsupported();
        }

        private static UnsupportedOperationException unsupported() {
            return new UnsupportedOperationException("only TLS over an existing connection is supported");
        }
    }
}
