package org.sallyport.store;

import java.util.Properties;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLSession;
import org.postgresql.ssl.PGjdbcHostnameVerifier;

/** Made by PostgreSQL's driver for a connection whose server has a certificate for another name than its address. */
public final class PgHostnameVerifier implements HostnameVerifier {
    private final DatabaseTls tls;

    /** @param properties of the connection */
    public PgHostnameVerifier(Properties properties) {
        this.tls = PgTlsRegistry.lookup(properties);
    }

    @Override
    public boolean verify(String host, SSLSession session) {
        return PGjdbcHostnameVerifier.INSTANCE.verify(tls.serverName().orElse(host), session);
    }
}
