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
 * @param encryption whom to trust and what to show to services that speak TLS; empty: as Java does by itself
 */
public record Connections(Optional<SSLContext> encryption) {
    /** What to look at when a service that speaks TLS cannot be spoken to. */
    public static final String ADVICE =
            "Whose certificate the service may have is in SALLYPORT_CA_FILE (PEM); if it asks callers"
                    + " for one, yours is in SALLYPORT_CLIENT_CERT and SALLYPORT_CLIENT_KEY.";

    /** The thread of a client that waits for its sockets, as Java names it. */
    private static final Pattern SELECTOR = Pattern.compile("HttpClient-\\d+-SelectorManager");

    /** As Java does by itself. */
    public Connections() {
        this(Optional.empty());
    }

    /** A client for one service, that follows no redirects. */
    public HttpClient to(URI service, Duration patience) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(patience);
        if ("http".equals(service.getScheme())) {
            builder.sslContext(trustingNobody());
        } else {
            encryption.ifPresent(builder::sslContext);
        }
        return builder.build();
    }

    /**
     * Ends the threads of all clients that were ever made: those wait in the operating system, and a process that ends gives such
     * threads 300 ms to come back. In Java 17 a client cannot be closed.
     */
    public static void closeAll() {
        Thread[] threads = new Thread[Thread.activeCount() + 8];
        int count = Thread.enumerate(threads);
        for (Thread thread : Arrays.copyOf(threads, count)) {
            if (SELECTOR.matcher(thread.getName()).matches()) {
                thread.interrupt();
            }
        }
    }

    /** Whether somebody answered, and what failed was to speak TLS with him. */
    public static boolean isOfTls(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return true;
            }
        }
        return false;
    }

    /** Reading the certificates that the system trusts takes longer than most commands, and here nobody asks for them. */
    private static SSLContext trustingNobody() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java VM knows TLS", e);
        }
    }
}
