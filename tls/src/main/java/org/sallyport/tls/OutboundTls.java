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
 * How the service speaks TLS to another that it uses, such as its broker or its database. Certificates and names of that other are
 * always checked. Thread-safe.
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
     * What the settings are called, and whom they are about.
     *
     * @param peer the other service, for messages: {@code the database}
     * @param url the setting that holds its address
     * @param prefix what all begin with, {@code sallyport.db.tls.}
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

    /** As the settings {@code sallyport.db.tls.…} say; see {@link #of}. */
    public static Optional<OutboundTls> forDatabase(Function<String, Optional<String>> settings, InstantSource clock)
            throws TlsConfigurationException {
        return of(
                new OutboundTlsSettingNames("the database", "sallyport.db.url", "sallyport.db.tls."), settings, clock);
    }

    /** As the settings {@code sallyport.broker.tls.…} say; see {@link #of}. */
    public static Optional<OutboundTls> forBroker(Function<String, Optional<String>> settings, InstantSource clock)
            throws TlsConfigurationException {
        return of(
                new OutboundTlsSettingNames("the broker", "sallyport.broker.url", "sallyport.broker.tls."),
                settings,
                clock);
    }

    /**
     * As settings say; empty where they leave encryption to the address. {@link TlsConfigurationException} for settings that do not go
     * together and for files that cannot be used now.
     *
     * @param settings the value of a setting by its name; empty where it is not set or blank
     */
    private static Optional<OutboundTls> of(
            OutboundTlsSettingNames names, Function<String, Optional<String>> settings, InstantSource clock)
            throws TlsConfigurationException {
        TlsMode mode = TlsMode.of(names.mode(), settings);
        if (mode == TlsMode.INSECURE) {
            for (String other :
                    new String[] {names.authorities(), names.certificate(), names.key(), names.serverName()}) {
                if (settings.apply(other).isPresent()) {
                    throw new TlsConfigurationException(other, "is of no use while " + names.mode() + " is insecure");
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
                            : "is of no use unless " + names.mode() + " is mtls");
        }
        if (own.isEmpty()) {
            return Optional.empty();
        }
        ReloadingFile<KeyAndCertificate> identity = new ReloadingFile<>(own, pause, clock);
        identity.value();
        return Optional.of(identity);
    }

    /** The name that the other's certificate must have, where that is not the one in its address. */
    public Optional<String> serverName() {
        return serverName;
    }

    /**
     * What one connection is made with. One each: no session of an earlier one is resumed, so that what the files hold now is what
     * counts. Its sockets are laid over connections that are there already.
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
     * Why there is no connection.
     *
     * @param text names the setting to look at
     * @param certain false where the other only ended the connection, as it does too when it is away behind a proxy
     */
    public record TlsFailureReason(String text, boolean certain) {}

    /** Why there is no connection, naming the setting to look at; empty where that has nothing to do with TLS. */
    public Optional<String> explain(Throwable failure) {
        return findReason(failure).map(TlsFailureReason::text);
    }

    /** As {@link #explain}. */
    public Optional<TlsFailureReason> findReason(Throwable failure) {
        return new HandshakeDiagnostics(names, authorities.isPresent(), identity.isPresent()).explain(failure);
    }
}
