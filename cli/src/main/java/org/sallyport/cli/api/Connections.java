package org.sallyport.cli.api;

import java.net.URI;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** Makes what requests are sent with. */
public final class Connections {
    private Connections() {}

    /** A client for one service, that follows no redirects. */
    public static HttpClient to(URI service, Duration patience) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(patience);
        if ("http".equals(service.getScheme())) {
            builder.sslContext(trustingNobody());
        }
        return builder.build();
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
