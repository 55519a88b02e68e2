package org.sallyport.store.jpa;

import java.util.Properties;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLSession;
import org.postgresql.ssl.PGjdbcHostnameVerifier;

/**
 * Hostname verifier for a server whose certificate carries another name than its address. PostgreSQL's driver creates
 * an instance for each connection.
 */
public final class PgHostnameVerifier implements HostnameVerifier {
    private final DatabaseTls tls;

    /**
     * @param properties properties of the connection, which contain the key of its settings in {@link PgTlsRegistry}
     */
    public PgHostnameVerifier(Properties properties) {
        this.tls = PgTlsRegistry.lookup(properties);
    }

    @Override
    public boolean verify(String host, SSLSession session) {
        return PGjdbcHostnameVerifier.INSTANCE.verify(tls.serverName().orElse(host), session);
    }
}
