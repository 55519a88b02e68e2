package org.sallyport.store;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * How connections to PostgreSQL are encrypted: always, and only to a server that shows a certificate of the right name from an
 * authority that is believed.
 *
 * @param sslContexts what each new connection is made with
 * @param serverName the name that the server's certificate must have, where that is not the one in the URL
 * @param failureExplainer why there is no connection, in words of the settings; empty where it has nothing to do with TLS
 */
public record DatabaseTls(
        Supplier<SSLContext> sslContexts,
        Optional<String> serverName,
        Function<Throwable, Optional<String>> failureExplainer) {}
