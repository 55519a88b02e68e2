package org.sallyport.connector.external;

import jakarta.jms.ConnectionFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.SecretReferences;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.messaging.MessageSender;
import org.sallyport.redaction.Redactor;

/** Backends whose connectors are external processes: {@code external}. */
public final class ExternalBackendType implements BackendType {
    private static final String PASSWORD = "password";
    private static final String ALIVE_MILLIS = "aliveMillis";
    private static final int MIN_PASSWORD_LENGTH = 16;

    private final ConnectorMessaging messaging;
    private final ConnectorAccounts accounts;
    private final SecretResolverFactory secrets;
    private final BackendRegistry.BackendExecutors executors;
    private final TimeSource timeSource;
    private final RandomGenerator random;
    private final AtomicLong connectionCount = new AtomicLong();

    /**
     * Access to the broker.
     *
     * @param incarnation incarnation of this node; part of the names of the reply queues
     * @param consumerThreads creates the threads of consumers
     */
    public record ConnectorMessaging(
            ConnectionFactory connections, MessageSender sender, String incarnation, ThreadFactory consumerThreads) {}

    /** @param random must be cryptographically strong */
    public ExternalBackendType(
            ConnectorMessaging wires,
            ConnectorAccounts admission,
            SecretResolverFactory secrets,
            BackendRegistry.BackendExecutors threads,
            TimeSource clocks,
            RandomGenerator random) {
        this.messaging = wires;
        this.accounts = admission;
        this.secrets = secrets;
        this.executors = threads;
        this.timeSource = clocks;
        this.random = random;
    }

    @Override
    public String name() {
        return "external";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of(PASSWORD);
    }

    @Override
    public void check(BackendSettings settings) {
        Set<String> known = new TreeSet<>(CallSettings.SETTING_NAMES);
        known.add(PASSWORD);
        known.add(ALIVE_MILLIS);
        settings.allowOnly(known);
        settings.optionalText(PASSWORD).ifPresent(password -> SecretReferences.check(settings, PASSWORD, password));
        heartbeatTimeout(settings);
    }

    private static Duration heartbeatTimeout(BackendSettings settings) {
        return Duration.ofMillis(settings.integer(ALIVE_MILLIS, 15_000, 1_000, 600_000));
    }

    @Override
    public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        return new ExternalBackend(
                definition.name(),
                heartbeatTimeout(settings),
                listener,
                new JmsConnectorChannel(
                        definition.name(),
                        // The number separates the reply queue from that of the previous connection, which may still
                        // consume for a moment.
                        messaging.incarnation() + "-" + connectionCount.incrementAndGet(),
                        accounts.guaranteesSingleDelivery(),
                        messaging.connections(),
                        messaging.sender(),
                        messaging.consumerThreads()),
                new PasswordAccount(definition, settings.optionalText(PASSWORD)),
                executors,
                timeSource,
                random);
    }

    /** Account of connectors that authenticate with a password. */
    private final class PasswordAccount implements ConnectorAccount {
        private final BackendDefinition definition;
        private final Optional<String> reference;

        PasswordAccount(BackendDefinition definition, Optional<String> reference) {
            this.definition = definition;
            this.reference = reference;
        }

        @Override
        public Redactor enable() {
            if (!accounts.isManagedHere()) {
                return Redactor.NONE;
            }
            SecretReferences resolver = secrets.resolverFor(definition);
            String password = resolver.resolve(reference.orElseThrow(() ->
                    new IllegalStateException("its settings have no password, so that no connector can connect")));
            if (password.length() < MIN_PASSWORD_LENGTH) {
                throw new IllegalStateException(
                        "the password of its connector has fewer than " + MIN_PASSWORD_LENGTH + " characters");
            }
            accounts.addAccount(definition.name(), password);
            return resolver.redactor();
        }

        @Override
        public void disable() {
            accounts.removeAccount(definition.name());
        }
    }
}
