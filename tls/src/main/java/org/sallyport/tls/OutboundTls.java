package org.sallyport.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS of the service's connections to a peer, such as its broker or its database. Always verifies the certificate and
 * the name of the peer. Thread-safe.
 */
public final class OutboundTls {
    private final OutboundTlsSettingNames names;
    private final Optional<ReloadingFile<TrustedCertificates>> authorities;
    private final Optional<ReloadingFile<KeyAndCertificate>> identity;
    private final Optional<String> serverName;

    private OutboundTls(
            OutboundTlsSettingNames names,
            Optional<ReloadingFile<TrustedCertificates>> authorities,
            Optional<ReloadingFile<KeyAndCertificate>> identity,
            Optional<String> serverName) {
        this.names = names;
        this.authorities = authorities;
        this.identity = identity;
        this.serverName = serverName;
    }

    /**
     * Names of the settings of a peer.
     *
     * @param peer the peer, for messages: {@code the database}
     * @param url the setting with its address
     * @param prefix common prefix of the settings, {@code sallyport.db.tls.}
     */
    record OutboundTlsSettingNames(String peer, String url, String prefix) {
        String mode() {
            return prefix + "mode";
        }

        String authorities() {
            return prefix + "ca-file";
        }

        String certificate() {
            return prefix + "certificate";
        }

        String key() {
            return prefix + "key";
        }

        String serverName() {
            return prefix + "server-name";
        }
    }

    /** Reads the settings {@code sallyport.db.tls.…}; see {@link #of}. */
    public static Optional<OutboundTls> forDatabase(Function<String, Optional<String>> settings, InstantSource clock)
            throws TlsConfigurationException {
        return of(
                new OutboundTlsSettingNames("the database", "sallyport.db.url", "sallyport.db.tls."), settings, clock);
    }

    /** Reads the settings {@code sallyport.broker.tls.…}; see {@link #of}. */
    public static Optional<OutboundTls> forBroker(Function<String, Optional<String>> settings, InstantSource clock)
            throws TlsConfigurationException {
        return of(
                new OutboundTlsSettingNames("the broker", "sallyport.broker.url", "sallyport.broker.tls."),
                settings,
                clock);
    }

    /**
     * Reads the settings. Empty where they leave encryption to the address. Throws {@link TlsConfigurationException}
     * for contradictory settings and for files that are unusable now.
     *
     * @param settings returns the value of a setting; empty where it is not set or blank
     */
    private static Optional<OutboundTls> of(
            OutboundTlsSettingNames names, Function<String, Optional<String>> settings, InstantSource clock)
            throws TlsConfigurationException {
        TlsMode mode = TlsMode.of(names.mode(), settings);
        if (mode == TlsMode.INSECURE) {
            for (String other :
                    new String[] {names.authorities(), names.certificate(), names.key(), names.serverName()}) {
                if (settings.apply(other).isPresent()) {
                    throw new TlsConfigurationException(
                            other, "must not be set while " + names.mode() + " is" + " insecure");
                }
            }
            return Optional.empty();
        }
        Duration pause = InboundTls.reloadInterval(settings);
        Optional<ReloadingFile<TrustedCertificates>> authorities = settings.apply(names.authorities())
                .map(file -> new ReloadingFile<>(
                        new TrustedCertificates.TrustedCertificatesFile(
                                Path.of(file), Optional.empty(), names.authorities(), names.authorities()),
                        pause,
                        clock));
        if (authorities.isPresent()) {
            authorities.get().value();
        }
        return Optional.of(new OutboundTls(
                names, authorities, identity(names, mode, settings, pause, clock), settings.apply(names.serverName())));
    }

    private static Optional<ReloadingFile<KeyAndCertificate>> identity(
            OutboundTlsSettingNames names,
            TlsMode mode,
            Function<String, Optional<String>> settings,
            Duration pause,
            InstantSource clock)
            throws TlsConfigurationException {
        KeyAndCertificate.KeyAndCertificateFiles own = new KeyAndCertificate.KeyAndCertificateFiles(
                Optional.empty(),
                Optional.empty(),
                settings.apply(names.certificate()).map(Path::of),
                settings.apply(names.key()).map(Path::of),
                new KeyAndCertificate.KeyAndCertificateFiles.KeySettingNames("", "", names.certificate(), names.key()));
        own.validate();
        if (own.isEmpty() == (mode == TlsMode.MTLS)) {
            throw new TlsConfigurationException(
                    names.certificate(),
                    own.isEmpty()
                            ? "must be set where " + names.mode() + " is mtls, and " + names.key() + " with it"
                            : "may be set only when " + names.mode() + " is mtls");
        }
        if (own.isEmpty()) {
            return Optional.empty();
        }
        ReloadingFile<KeyAndCertificate> identity = new ReloadingFile<>(own, pause, clock);
        identity.value();
        return Optional.of(identity);
    }

    /** Returns the name that the peer's certificate must contain, where it differs from the address. */
    public Optional<String> serverName() {
        return serverName;
    }

    /**
     * Returns the context for one connection. Each connection needs its own, so that no session is resumed and the
     * current content of the files counts. Its sockets are layered over existing connections.
     */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            KeyManager @Nullable [] keys =
                    identity.isPresent() ? new KeyManager[] {new ReloadingKeyManager(identity.get())} : null;
            TrustManager @Nullable [] trust = authorities.isPresent()
                    ? new TrustManager[] {new ReloadingServerTrustManager(authorities.get())}
                    : null;
            context.init(keys, trust, null);
            return new HostnameVerifyingContext(context, serverName);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java VM knows TLS", e);
        }
    }

    /**
     * Reason of a failed connection.
     *
     * @param text names the setting to check
     * @param certain false where the peer only closed the connection, as a proxy also does when the peer is unavailable
     */
    public record TlsFailureReason(String text, boolean certain) {}

    /** Returns the reason of a failed connection with the setting to check. Empty where TLS is not the cause. */
    public Optional<String> explain(Throwable failure) {
        return findReason(failure).map(TlsFailureReason::text);
    }

    /** Returns the reason in the way of {@link #explain}, with its certainty. */
    public Optional<TlsFailureReason> findReason(Throwable failure) {
        return new HandshakeDiagnostics(names, authorities.isPresent(), identity.isPresent()).explain(failure);
    }
}
