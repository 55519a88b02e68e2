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
 * Makes what requests are sent with.
 *
 * @param sslContext whom to trust and what to show to services that speak TLS; empty: as Java does by itself
 */
public record HttpClientFactory(Optional<SSLContext> sslContext) {
    /** What to look at when a service that speaks TLS cannot be spoken to. */
    public static final String TLS_ADVICE =
            "Whose certificate the service may have is in SALLYPORT_CA_FILE (PEM); if it asks callers"
                    + " for one, yours is in SALLYPORT_CLIENT_CERT and SALLYPORT_CLIENT_KEY.";

    /** The thread of a client that waits for its sockets, as Java names it. */
    private static final Pattern SELECTOR_THREAD_NAME = Pattern.compile("HttpClient-\\d+-SelectorManager");

    /** As Java does by itself. */
    public HttpClientFactory() {
        this(Optional.empty());
    }

    /** A client for one service, that follows no redirects. */
    public HttpClient createClient(URI service, Duration patience) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(patience);
        if ("http".equals(service.getScheme())) {
            builder.sslContext(contextWithoutTrust());
        } else {
            sslContext.ifPresent(builder::sslContext);
        }
        return builder.build();
    }

    /**
     * Ends the threads of all clients that were ever made: those wait in the operating system, and a process that ends gives such
     * threads 300 ms to come back. In Java 17 a client cannot be closed.
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

    /** Whether somebody answered, and what failed was to speak TLS with him. */
    public static boolean isTlsFailure(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return true;
            }
        }
        return false;
    }

    /** Reading the certificates that the system trusts takes longer than most commands, and here nobody asks for them. */
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
