package org.sallyport.cli.api;

import java.net.URI;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;

/**
 * Creates HTTP clients.
 *
 * @param sslContext trusted certificates and client certificate for services with TLS; empty for Java's defaults
 */
public record HttpClientFactory(Optional<SSLContext> sslContext) {
    /** Advice for a failed TLS connection. */
    public static final String TLS_ADVICE =
            "Set SALLYPORT_CA_FILE to the CA certificates to trust (PEM); if the service requires a client"
                    + " certificate, set SALLYPORT_CLIENT_CERT and SALLYPORT_CLIENT_KEY.";

    /** Java's name for the thread in which a client waits for its sockets. */
    private static final Pattern SELECTOR_THREAD_NAME = Pattern.compile("HttpClient-\\d+-SelectorManager");

    /** Creates a factory with Java's defaults. */
    public HttpClientFactory() {
        this(Optional.empty());
    }

    /** Creates a client for one service. It follows no redirects. */
    public HttpClient createClient(URI service, Duration connectTimeout) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connectTimeout);
        if ("http".equals(service.getScheme())) {
            builder.sslContext(contextWithoutTrust());
        } else {
            sslContext.ifPresent(builder::sslContext);
        }
        return builder.build();
    }

    /**
     * Ends the threads of all clients. They wait in the operating system, and a process that ends waits 300 ms for such
     * threads. In Java 17 a client cannot be closed.
     */
    public static void stopSelectorThreads() {
        Thread[] threads = new Thread[Thread.activeCount() + 8];
        int count = Thread.enumerate(threads);
        for (Thread thread : Arrays.copyOf(threads, count)) {
            if (SELECTOR_THREAD_NAME.matcher(thread.getName()).matches()) {
                thread.interrupt();
            }
        }
    }

    /** Returns whether a server answered and only TLS failed. */
    public static boolean isTlsFailure(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return true;
            }
        }
        return false;
    }

    /**
     * Avoids loading the trusted certificates of the system, which takes longer than most commands and is not needed
     * here.
     */
    private static SSLContext contextWithoutTrust() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java VM knows TLS", e);
        }
    }
}
