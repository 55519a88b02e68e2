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
import org.sallyport.connector.BackendKind;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.Backends;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.SecretAccess;
import org.sallyport.connector.Secrets;
import org.sallyport.messaging.MessageSender;
import org.sallyport.secret.Redaction;

/** Backends whose connectors are processes of others: {@code external}. */
public final class ExternalKind implements BackendKind {
    private static final String PASSWORD = "password";
    private static final String ALIVE = "aliveMillis";
    private static final int SHORTEST_PASSWORD = 16;

    private final Wires wires;
    private final Admission admission;
    private final SecretAccess secrets;
    private final Backends.Threads threads;
    private final Clocks clocks;
    private final RandomGenerator random;
    private final AtomicLong opened = new AtomicLong();

    /**
     * What messages go through.
     *
     * @param life of this node: names the queues that are answered to
     * @param readers the threads that wait for messages
     */
    public record Wires(ConnectionFactory connections, MessageSender sender, String life, ThreadFactory readers) {}

    /** @param random must be cryptographically strong */
    public ExternalKind(
            Wires wires,
            Admission admission,
            SecretAccess secrets,
            Backends.Threads threads,
            Clocks clocks,
            RandomGenerator random) {
        this.wires = wires;
        this.admission = admission;
        this.secrets = secrets;
        this.threads = threads;
        this.clocks = clocks;
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
        Set<String> known = new TreeSet<>(CallSettings.NAMES);
        known.add(PASSWORD);
        known.add(ALIVE);
        settings.allow(known);
        settings.optionalText(PASSWORD).ifPresent(password -> Secrets.check(settings, PASSWORD, password));
        alive(settings);
    }

    private static Duration alive(BackendSettings settings) {
        return Duration.ofMillis(settings.whole(ALIVE, 15_000, 1_000, 600_000));
    }

    @Override
    public LiveBackend open(BackendDefinition definition, LiveBackend.Listener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        return new ExternalBackend(
                definition.name(),
                alive(settings),
                listener,
                new JmsExternalWire(
                        definition.name(),
                        // The one before may listen for a moment longer, and must not hear what is for this one.
                        wires.life() + "-" + opened.incrementAndGet(),
                        admission.tells(),
                        wires.connections(),
                        wires.sender(),
                        wires.readers()),
                new PasswordEntry(definition, settings.optionalText(PASSWORD)),
                threads,
                clocks,
                random);
    }

    /** Connectors come in with a password. */
    private final class PasswordEntry implements Entry {
        private final BackendDefinition definition;
        private final Optional<String> reference;

        PasswordEntry(BackendDefinition definition, Optional<String> reference) {
            this.definition = definition;
            this.reference = reference;
        }

        @Override
        public Redaction open() {
            if (!admission.decides()) {
                return Redaction.NOTHING;
            }
            Secrets resolver = secrets.of(definition);
            String password = resolver.resolve(reference.orElseThrow(() ->
                    new IllegalStateException("its settings have no password, so that no connector can come in")));
            if (password.length() < SHORTEST_PASSWORD) {
                throw new IllegalStateException(
                        "the password of its connector has fewer than " + SHORTEST_PASSWORD + " characters");
            }
            admission.admit(definition.name(), password);
            return resolver.redaction();
        }

        @Override
        public void close() {
            admission.dismiss(definition.name());
        }
    }
}
