package org.sallyport.server;

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
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.BackendConfigFile;
import org.sallyport.connector.BackendConsumers;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.ConnectorDispatcher;
import org.sallyport.connector.InvalidBackendException;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.connector.http.HttpBackendType;
import org.sallyport.connector.mcp.McpHttpBackendType;
import org.sallyport.connector.mcp.McpStdioBackendType;
import org.sallyport.connector.sql.SqlBackendType;

/** Creates the configured backends of all types. */
final class BackendModule {
    private static final String DEFAULT_FILE = "sallyport.yaml";
    private static final long SYNC_MILLIS = 2_000;

    private final ServerExecutors threads;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final SecretResolverFactory secrets;
    private final BackendTypeFactory extraTypes;

    /** Creates the backend types that need further services. */
    interface BackendTypeFactory {
        List<BackendType> create(BackendRegistry.BackendExecutors threads);
    }

    BackendModule(
            ServerExecutors threads,
            InstantSource clock,
            RandomGenerator random,
            SecretResolverFactory secrets,
            BackendTypeFactory more) {
        this.threads = threads;
        this.clock = clock;
        this.random = random;
        this.secrets = secrets;
        this.extraTypes = more;
    }

    BackendRegistry open(BackendStore store, ToolCatalog catalog, ConnectorDispatcher host, BackendConsumers queues) {
        BackendRegistry.BackendExecutors run =
                new BackendRegistry.BackendExecutors(threads.scheduler(), threads.connectors());
        return new BackendRegistry(store, catalog, host, queues, backendTypes(run), secrets, run, clock);
    }

    private List<BackendType> backendTypes(BackendRegistry.BackendExecutors run) {
        List<BackendType> all = new ArrayList<>(extraTypes.create(run));
        all.addAll(List.of(
                new McpStdioBackendType(
                        threads.scheduler(),
                        threads.connectors(),
                        ServerExecutors.threadFactory("sallyport-mcp"),
                        random,
                        secrets),
                new McpHttpBackendType(threads.scheduler(), threads.connectors(), random, secrets),
                // One thread for each open exchange; backends bound the number of exchanges.
                new HttpBackendType(
                        Executors.newCachedThreadPool(ServerExecutors.threadFactory("sallyport-http")), secrets),
                new SqlBackendType(
                        Executors.newCachedThreadPool(ServerExecutors.threadFactory("sallyport-sql")), secrets)));
        return all;
    }

    /** Connects the configured backends and keeps them in sync with changes by other nodes. */
    void start(BackendRegistry backends, Configuration configuration, Path data) {
        String set = configuration.get(Settings.BACKENDS_FILE);
        Path file = set.isEmpty() ? data.resolve(DEFAULT_FILE) : Path.of(set);
        try {
            List<BackendDefinition> inFile =
                    set.isEmpty() && !Files.exists(file) ? List.of() : BackendConfigFile.read(file);
            backends.start(inFile);
        } catch (InvalidBackendException e) {
            throw new InvalidConfigurationException(
                    List.of(Settings.BACKENDS_FILE.name() + " '" + file + "': " + e.member() + " " + e.getMessage()));
        }
        scheduleSync(backends);
    }

    private void scheduleSync(BackendRegistry backends) {
        try {
            threads.scheduler()
                    .schedule(
                            () -> threads.connectors().execute(() -> sync(backends)),
                            SYNC_MILLIS,
                            TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The service is shutting down.
        }
    }

    private void sync(BackendRegistry backends) {
        try {
            backends.sync();
        } catch (RuntimeException e) {
            System.getLogger(BackendModule.class.getName())
                    .log(Level.DEBUG, "backends could not be synchronized; the next run tries again", e);
        } finally {
            scheduleSync(backends);
        }
    }
}
