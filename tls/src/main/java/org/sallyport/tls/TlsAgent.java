package org.sallyport.tls;

import java.security.KeyStore;
import java.security.Provider;
import java.security.Security;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactorySpi;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactorySpi;
import org.jspecify.annotations.Nullable;

/**
 * Java agent ({@code -javaagent}) that runs before the server. It registers the algorithm {@link #ALGORITHM}, with
 * which the server's listener obtains current keys and trust instead of those of its start. It never stops the start:
 * the application reports invalid settings, and until they are valid every handshake fails.
 */
public final class TlsAgent {
    /** The algorithm that the listener asks for. */
    public static final String ALGORITHM = "Sallyport";

    private static final String PROVIDER = "Sallyport-TLS";

    private TlsAgent() {}

    /** Called by the Java VM. */
    public static void premain(@Nullable String argument) {
        try {
            register(InboundTls.from(name -> setting(name, System::getProperty, System.getenv())));
        } catch (TlsConfigurationException e) {
            // The application reads the same settings and reports the error where administrators look.
            return;
        }
    }

    /** Returns whether this agent has registered {@link #ALGORITHM} in this Java VM. */
    public static boolean isInstalled() {
        return Security.getProvider(PROVIDER) != null;
    }

    private static Optional<String> setting(
            String name, Function<String, @Nullable String> properties, Map<String, String> environment) {
        return Optional.ofNullable(properties.apply(name))
                .or(() -> Optional.ofNullable(
                        environment.get(name.replaceAll("[^a-zA-Z0-9]", "_").toUpperCase(Locale.ROOT))))
                .map(String::strip)
                .filter(value -> !value.isEmpty());
    }

    static void register(InboundTls tls) {
        if (tls.mode() != TlsMode.INSECURE) {
            InstantSource clock = InstantSource.system();
            Security.addProvider(new ReloadingTlsProvider(
                    new ReloadingKeyManager(tls.reloadingKey(clock)),
                    new ReloadingClientTrustManager(
                            tls.mode() == TlsMode.MTLS && tls.trustedCallers().isPresent()
                                    ? Optional.of(tls.reloadingTrust(clock))
                                    : Optional.empty())));
        }
    }

    /** Provides the same key manager and trust manager to all callers. */
    private static final class ReloadingTlsProvider extends Provider {
        private static final long serialVersionUID = 1;

        ReloadingTlsProvider(ReloadingKeyManager key, ReloadingClientTrustManager trust) {
            super(PROVIDER, "1", "keys and trusted certificates that are reloaded from their files");
            putService(new SingletonProviderService(this, "KeyManagerFactory", new ReloadingKeyManagerFactory(key)));
            putService(
                    new SingletonProviderService(this, "TrustManagerFactory", new ReloadingTrustManagerFactory(trust)));
        }
    }

    private static final class SingletonProviderService extends Provider.Service {
        private final Object factory;

        SingletonProviderService(Provider provider, String type, Object factory) {
            super(provider, type, ALGORITHM, factory.getClass().getName(), List.of(), Map.of());
            this.factory = factory;
        }

        @Override
        public Object newInstance(@Nullable Object parameter) {
            return factory;
        }
    }

    /** Ignores the listener's own key store. */
    private static final class ReloadingKeyManagerFactory extends KeyManagerFactorySpi {
        private final ReloadingKeyManager key;

        ReloadingKeyManagerFactory(ReloadingKeyManager key) {
            this.key = key;
        }

        @Override
        protected void engineInit(@Nullable KeyStore store, char @Nullable [] password) {}

        @Override
        protected void engineInit(@Nullable ManagerFactoryParameters parameters) {}

        @Override
        protected KeyManager[] engineGetKeyManagers() {
            return new KeyManager[] {key};
        }
    }

    private static final class ReloadingTrustManagerFactory extends TrustManagerFactorySpi {
        private final ReloadingClientTrustManager trust;

        ReloadingTrustManagerFactory(ReloadingClientTrustManager trust) {
            this.trust = trust;
        }

        @Override
        protected void engineInit(@Nullable KeyStore store) {}

        @Override
        protected void engineInit(@Nullable ManagerFactoryParameters parameters) {}

        @Override
        protected TrustManager[] engineGetTrustManagers() {
            return new TrustManager[] {trust};
        }
    }
}
