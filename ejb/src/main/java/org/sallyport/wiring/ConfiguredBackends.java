package org.sallyport.wiring;

import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.Catalog;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.BackendFile;
import org.sallyport.connector.BackendKind;
import org.sallyport.connector.BackendQueues;
import org.sallyport.connector.Backends;
import org.sallyport.connector.ConnectorHost;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.SecretAccess;
import org.sallyport.connector.http.HttpOperations;
import org.sallyport.connector.mcp.McpHttp;
import org.sallyport.connector.mcp.McpStdio;
import org.sallyport.connector.sql.SqlStatements;

/** The backends that an installation configures, of every kind there is. */
final class ConfiguredBackends {
    private static final String FILE = "sallyport.yaml";
    private static final long SYNC_MILLIS = 2_000;

    private final Threads threads;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final SecretAccess secrets;
    private final Kinds more;

    /** Makes the kinds that need more than the others do. */
    interface Kinds {
        List<BackendKind> kinds(Backends.Threads threads);
    }

    ConfiguredBackends(Threads threads, InstantSource clock, RandomGenerator random, SecretAccess secrets, Kinds more) {
        this.threads = threads;
        this.clock = clock;
        this.random = random;
        this.secrets = secrets;
        this.more = more;
    }

    Backends open(BackendStore store, Catalog catalog, ConnectorHost host, BackendQueues queues) {
        Backends.Threads run = new Backends.Threads(threads.scheduler(), threads.blocking());
        return new Backends(store, catalog, host, queues, kinds(run), secrets, run, clock);
    }

    private List<BackendKind> kinds(Backends.Threads run) {
        List<BackendKind> all = new ArrayList<>(more.kinds(run));
        all.addAll(List.of(
                new McpStdio(threads.scheduler(), threads.blocking(), Threads.named("sallyport-mcp"), random, secrets),
                new McpHttp(threads.scheduler(), threads.blocking(), random, secrets),
                // A thread for each exchange under way; backends bound how many those are.
                new HttpOperations(Executors.newCachedThreadPool(Threads.named("sallyport-http")), secrets),
                new SqlStatements(Executors.newCachedThreadPool(Threads.named("sallyport-sql")), secrets)));
        return all;
    }

    /** Connects what is configured, and goes on noticing what other nodes change. */
    void start(Backends backends, Configuration configuration, Path data) {
        String set = configuration.get(Settings.BACKENDS_FILE);
        Path file = set.isEmpty() ? data.resolve(FILE) : Path.of(set);
        try {
            List<BackendDefinition> inFile = set.isEmpty() && !Files.exists(file) ? List.of() : BackendFile.read(file);
            backends.start(inFile);
        } catch (InvalidBackendException e) {
            throw new InvalidConfigurationException(
                    List.of(Settings.BACKENDS_FILE.name() + " '" + file + "': " + e.member() + " " + e.getMessage()));
        }
        threads.scheduler()
                .scheduleWithFixedDelay(() -> later(backends), SYNC_MILLIS, SYNC_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void later(Backends backends) {
        try {
            threads.blocking().execute(() -> sync(backends));
        } catch (RejectedExecutionException e) {
            // The service is closing.
        }
    }

    private static void sync(Backends backends) {
        try {
            backends.sync();
        } catch (RuntimeException e) {
            System.getLogger(ConfiguredBackends.class.getName())
                    .log(Level.DEBUG, "backends cannot be looked at now", e);
        }
    }
}
