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
 * Presents the certificate that the files contain at the time of each handshake, for every alias. Without a certificate
 * every handshake fails. Thread-safe.
 */
final class ReloadingKeyManager extends X509ExtendedKeyManager {
    private static final String ALIAS = "own";

    private final ReloadingFile<KeyAndCertificate> identity;
    /**
     * The key of the current handshake. The handshake asks for the certificate next, and the files may be renewed in
     * between.
     */
    private final ThreadLocal<@Nullable KeyAndCertificate> handshakeKey = new ThreadLocal<>();

    ReloadingKeyManager(ReloadingFile<KeyAndCertificate> identity) {
        this.identity = identity;
    }

    private @Nullable KeyAndCertificate current() {
        try {
            return identity.value();
        } catch (TlsConfigurationException e) {
            System.getLogger(ReloadingKeyManager.class.getName())
                    .log(Level.DEBUG, "no handshake can succeed: {0}", e.getMessage());
            return null;
        }
    }

    private @Nullable String aliasFor(String... types) {
        KeyAndCertificate own = current();
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
        return aliasFor(type);
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return aliasFor(type);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return aliasFor(types);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return aliasFor(types);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
        String alias = aliasFor(type);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
        return getServerAliases(type, issuers);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        KeyAndCertificate own = handshakeKey.get();
        handshakeKey.remove();
        if (own == null) {
            own = current();
        }
        return own == null ? null : own.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        KeyAndCertificate own = current();
        handshakeKey.set(own);
        return own == null ? null : own.key();
    }
}
