package org.sallyport.tls;

import java.lang.System.Logger.Level;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Shows the certificate that the files hold at the time of each handshake. There is one, whatever alias is asked for; without one
 * every handshake fails. Thread-safe.
 */
final class OwnKey extends X509ExtendedKeyManager {
    private static final String ALIAS = "own";

    private final Renewed<Identity> identity;
    /** What a handshake was given the key of: it asks for the certificate next, and the files may be renewed in between. */
    private final ThreadLocal<@Nullable Identity> given = new ThreadLocal<>();

    OwnKey(Renewed<Identity> identity) {
        this.identity = identity;
    }

    private @Nullable Identity now() {
        try {
            return identity.value();
        } catch (UnusableException e) {
            System.getLogger(OwnKey.class.getName()).log(Level.DEBUG, "no handshake can succeed: {0}", e.getMessage());
            return null;
        }
    }

    private @Nullable String alias(String... types) {
        Identity own = now();
        if (own != null) {
            for (String type : types) {
                if (type.equals(own.key().getAlgorithm())
                        || type.equals(own.certificate().getPublicKey().getAlgorithm())) {
                    return ALIAS;
                }
            }
        }
        return null;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String type, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(type);
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(type);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(types);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(types);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
        String alias = alias(type);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
        return getServerAliases(type, issuers);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        Identity own = given.get();
        given.remove();
        if (own == null) {
            own = now();
        }
        return own == null ? null : own.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        Identity own = now();
        given.set(own);
        return own == null ? null : own.key();
    }
}
