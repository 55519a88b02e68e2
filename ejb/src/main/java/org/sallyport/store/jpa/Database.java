package org.sallyport.store.jpa;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.sallyport.backup.BackupWriter;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;

/**
 * The connection pool and the JPA entity manager factory on top of it, for H2 or PostgreSQL. Migrates the schema when
 * it is opened. Thread-safe. The caller closes it after everything that uses it.
 */
public final class Database implements AutoCloseable {
    /** Connections beyond the configured number, for the threads of {@link #reserveConnection}. */
    public static final int RESERVED_CONNECTIONS = 4;

    private static final String PERSISTENCE_UNIT = "sallyport";
    private static final int MAX_CONNECT_ATTEMPTS = 5;

    private final PgTlsRegistry tls;
    private final HikariDataSource pool;
    private final ConnectionPermits permits;
    private final EntityManagerFactory entityManagerFactory;
    private final DiskReserve disk;
    private final GroupCommit groupCommit = new GroupCommit(this::write);
    private final boolean isH2;
    private final boolean protectsRows;
    private final Optional<BackupWriter> backupWriter;
    private final ReentrantLock sweepLock = new ReentrantLock();

    private Database(
            PgTlsRegistry tls,
            HikariDataSource pool,
            ConnectionPermits permits,
            EntityManagerFactory entities,
            DiskReserve disk,
            boolean shares,
            boolean protectsRows,
            Optional<BackupWriter> backupWriter) {
        this.tls = tls;
        this.pool = pool;
        this.permits = permits;
        this.entityManagerFactory = entities;
        this.disk = disk;
        this.isH2 = shares;
        this.protectsRows = protectsRows;
        this.backupWriter = backupWriter;
    }

    /**
     * Connects and migrates the schema. Retries for a few connect timeouts while the database is unavailable.
     *
     * @throws StoreUnavailableException if the database is still unavailable after that
     * @throws IllegalArgumentException if the URL has a setting that would lose data
     */
    public static Database open(DatabaseSettings settings) {
        return open(settings, UnaryOperator.identity());
    }

    /**
     * Like {@link #open(DatabaseSettings)}.
     *
     * @param interceptor returns the source of connections that the reads and writes of the stores use instead of the
     *     pool; tests make connections fail with it
     */
    static Database open(DatabaseSettings settings, UnaryOperator<DataSource> interceptor) {
        PgTlsRegistry tls = PgTlsRegistry.of(settings);
        try {
            SchemaMigrator.migrate(settings, tls, MAX_CONNECT_ATTEMPTS);
            return open(settings, tls, SchemaMigrator.enableRowSecurity(settings, tls), interceptor);
        } catch (RuntimeException e) {
            tls.close();
            throw e;
        }
    }

    private static Database open(
            DatabaseSettings settings, PgTlsRegistry tls, boolean protectsRows, UnaryOperator<DataSource> interceptor) {
        HikariDataSource pool = new HikariDataSource(poolConfiguration(settings, tls));
        try {
            return new Database(
                    tls,
                    pool,
                    new ConnectionPermits(settings.poolSize(), settings.connectTimeout()),
                    Persistence.createEntityManagerFactory(PERSISTENCE_UNIT, unitProperties(interceptor.apply(pool))),
                    DiskReserve.of(settings.url(), settings.minFreeBytes()),
                    !JdbcUrl.isPostgreSql(settings.url()),
                    protectsRows,
                    DatabaseBackup.of(settings));
        } catch (RuntimeException e) {
            pool.close();
            throw SqlErrorClassifier.translate(e, false);
        }
    }

    private static HikariConfig poolConfiguration(DatabaseSettings settings, PgTlsRegistry tls) {
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("sallyport-database");
        pool.setJdbcUrl(JdbcUrl.complete(settings.url()));
        pool.setDriverClassName(SchemaMigrator.driverClass(settings.url()));
        pool.setUsername(settings.user());
        pool.setPassword(settings.password());
        pool.setMaximumPoolSize(settings.poolSize() + RESERVED_CONNECTIONS);
        pool.setConnectionTimeout(settings.connectTimeout().toMillis());
        pool.setValidationTimeout(Math.max(250, settings.connectTimeout().toMillis() / 2));
        pool.setInitializationFailTimeout(-1);
        pool.setExceptionOverride(new ClosedH2Detector());
        pool.setConnectionInitSql(JdbcUrl.connectionInitSql(settings.url()));
        tls.properties().forEach(pool::addDataSourceProperty);
        if (JdbcUrl.isPostgreSql(settings.url())) {
            String seconds =
                    Long.toString(Math.max(1, (settings.connectTimeout().toMillis() + 999) / 1000));
            Map.of(
                            "ApplicationName",
                            "sallyport",
                            "connectTimeout",
                            seconds,
                            "loginTimeout",
                            seconds,
                            "socketTimeout",
                            seconds,
                            "tcpKeepAlive",
                            "true",
                            "reWriteBatchedInserts",
                            "true",
                            "options",
                            "-c lock_timeout=" + settings.connectTimeout().toMillis())
                    .forEach(pool::addDataSourceProperty);
        }
        return pool;
    }

    private static Map<String, Object> unitProperties(DataSource connections) {
        return Map.of(
                "jakarta.persistence.nonJtaDataSource",
                connections,
                "eclipselink.classloader",
                Database.class.getClassLoader(),
                // EclipseLink shares state between factories with the same session name, and one process may open two
                // databases.
                "eclipselink.session-name",
                PERSISTENCE_UNIT + "-" + UUID.randomUUID());
    }

    /**
     * Gives the current thread a connection of its own: from now on it does not wait for the connections of other
     * threads, in any database. For at most {@link #RESERVED_CONNECTIONS} threads, those that keep the node's lease and
     * sweep.
     */
    public static void reserveConnection() {
        ConnectionPermits.exemptCurrentThread();
    }

    /**
     * Runs {@code work} in one transaction, which is committed when {@code work} returns, and returns its result.
     *
     * @throws StoreUnavailableException if the database does not answer. Only an answer that is missing for the commit
     *     leaves open whether the transaction is stored: without the commit, the database rolls it back.
     */
    <T> T write(Function<EntityManager, T> work) {
        return permits.run(() -> writeWithPermit(work));
    }

    private <T> T writeWithPermit(Function<EntityManager, T> work) {
        EntityManager session = entityManagerFactory.createEntityManager();
        boolean connected = false;
        boolean committing = false;
        try {
            session.getTransaction().begin();
            // Connect now rather than at the first statement, so that every read of the transaction sees its own
            // writes.
            session.unwrap(Connection.class);
            connected = true;
            T result = work.apply(session);
            committing = true;
            session.getTransaction().commit();
            Failpoint.COMMITTED.reached(this);
            return result;
        } catch (OutOfMemoryError e) {
            H2PanicDetector.exitAfterPanic(e);
            throw e;
        } catch (RuntimeException e) {
            H2PanicDetector.exitAfterPanic(e);
            if (connected) {
                // Otherwise EclipseLink would wait for a connection a second time, only to roll it back.
                rollBack(session, e);
            }
            throw SqlErrorClassifier.translate(e, committing);
        } finally {
            session.close();
        }
    }

    /**
     * Like {@link #write}, for one tenant. With {@link RowSecurity} the work neither sees nor writes rows of other
     * tenants.
     */
    <T> T write(String tenant, Function<EntityManager, T> work) {
        return write(scopedToTenant(tenant, work));
    }

    private <T> Function<EntityManager, T> scopedToTenant(String tenant, Function<EntityManager, T> work) {
        return protectsRows
                ? session -> {
                    RowSecurity.enterTenant(session, tenant);
                    return work.apply(session);
                }
                : work;
    }

    /**
     * Like {@link #write}. On H2 the work shares a transaction with concurrent calls; see {@link GroupCommit}.
     * PostgreSQL groups commits itself and would lose more by running the work serially.
     *
     * @param bytes about how many bytes the work writes
     */
    <T> T writeInGroupCommit(long bytes, Function<EntityManager, T> work) {
        return isH2 ? groupCommit.write(bytes, work) : write(work);
    }

    /**
     * Like {@link #write}, for work that finds rows with a statement of {@link #withSkipLocked} and changes them. On H2
     * such work runs one at a time, which is faster for it.
     */
    <T> T writeSerially(Function<EntityManager, T> work) {
        if (!isH2) {
            return write(work);
        }
        sweepLock.lock();
        try {
            return write(work);
        } finally {
            sweepLock.unlock();
        }
    }

    /**
     * Returns those of the rows found by a statement of {@link #withSkipLocked} that no other transaction has locked.
     * On PostgreSQL the statement has already locked all of them. On H2 this method locks them; they may have changed
     * since the statement read them.
     *
     * @param rows columns of executions; the first column is the id
     */
    List<Object[]> lockAvailable(EntityManager session, List<Object[]> rows) {
        if (!isH2) {
            return rows;
        }
        Set<UUID> held = ExecutionQueries.lockAvailable(
                session, rows.stream().map(row -> (UUID) row[0]).toList());
        return rows.stream().filter(row -> held.contains((UUID) row[0])).toList();
    }

    /**
     * Returns {@code statement} with {@code for update skip locked} appended on PostgreSQL, so that it skips rows that
     * other nodes have locked. Returns it unchanged on H2, which has one node and would read and sort all matching
     * rows.
     */
    String withSkipLocked(String statement) {
        return isH2 ? statement : statement + " for update skip locked";
    }

    /**
     * Like {@link #write}. Runs the work a second time if another transaction inserted the same row meanwhile; the
     * second run finds that row.
     */
    <T> T writeWithDuplicateRetry(Function<EntityManager, T> work) {
        try {
            return write(work);
        } catch (RuntimeException e) {
            if (!SqlErrorClassifier.isDuplicate(e)) {
                throw e;
            }
            return write(work);
        }
    }

    /** Like {@link #writeWithDuplicateRetry(Function)}, for one tenant as in {@link #write(String, Function)}. */
    <T> T writeWithDuplicateRetry(String tenant, Function<EntityManager, T> work) {
        return writeWithDuplicateRetry(scopedToTenant(tenant, work));
    }

    private static void rollBack(EntityManager session, RuntimeException failure) {
        try {
            if (session.getTransaction().isActive()) {
                session.getTransaction().rollback();
            }
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Runs reads without a transaction: they need not be consistent with each other. */
    <T> T read(Function<EntityManager, T> work) {
        return permits.run(() -> readWithPermit(work));
    }

    private <T> T readWithPermit(Function<EntityManager, T> work) {
        EntityManager session = entityManagerFactory.createEntityManager();
        try {
            return work.apply(session);
        } catch (OutOfMemoryError e) {
            H2PanicDetector.exitAfterPanic(e);
            throw e;
        } catch (RuntimeException e) {
            H2PanicDetector.exitAfterPanic(e);
            throw SqlErrorClassifier.translate(e, false);
        } finally {
            session.close();
        }
    }

    /**
     * Like {@link #read}, for one tenant. With {@link RowSecurity} the reads run in a transaction, because row security
     * is set per transaction, and do not see rows of other tenants.
     */
    <T> T read(String tenant, Function<EntityManager, T> work) {
        if (!protectsRows) {
            return read(work);
        }
        return read(session -> {
            session.getTransaction().begin();
            session.unwrap(Connection.class);
            try {
                RowSecurity.enterTenant(session, tenant);
                T result = work.apply(session);
                // Roll back instead of committing: nothing was written, and EclipseLink need not search for changes.
                session.getTransaction().rollback();
                return result;
            } catch (RuntimeException e) {
                rollBack(session, e);
                throw e;
            }
        });
    }

    /**
     * Checks that the disk has space for new work. The remaining space is reserved for accepted executions.
     *
     * @throws StoreUnavailableException if there is too little free space
     */
    void requireDiskSpace() {
        disk.requireFreeSpace();
    }

    /**
     * Checks that the database answers and that its disk has space for new work.
     *
     * @throws StoreUnavailableException if either check fails
     */
    public void ping() {
        requireDiskSpace();
        permits.run(this::isAnswering);
    }

    private boolean isAnswering() {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(protectsRows ? RowSecurity.ASSUME_ROLE : "select 1");
            return true;
        } catch (SQLException e) {
            throw SqlErrorClassifier.toUnavailable(e, e, false);
        }
    }

    /** Returns what takes backups of the database while it is open; empty unless it is a file of H2 in this process. */
    public Optional<BackupWriter> backupWriter() {
        return backupWriter;
    }

    /**
     * Returns whether the file of an H2 database may be damaged, because {@link #open} failed for another reason than a
     * password or another process that uses the file.
     */
    public static boolean mayBeDamaged(RuntimeException failure) {
        return SqlErrorClassifier.mayBeDamaged(failure);
    }

    @Override
    public void close() {
        try {
            entityManagerFactory.close();
        } finally {
            pool.close();
            tls.close();
        }
    }
}
