package org.sallyport.store.jpa;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * TLS settings of connections to PostgreSQL. Every connection is encrypted, and the server must present a certificate
 * with the expected name from a trusted authority.
 *
 * @param sslContexts supplies the SSL context of each new connection
 * @param serverName the name that the server's certificate must have, if it differs from the host in the URL
 * @param failureExplainer explains a connection failure in terms of the settings; empty if TLS is not the cause
 */
public record DatabaseTls(
        Supplier<SSLContext> sslContexts,
        Optional<String> serverName,
        Function<Throwable, Optional<String>> failureExplainer) {}
