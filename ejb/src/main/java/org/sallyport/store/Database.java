package org.sallyport.store;

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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.sallyport.execution.StoreUnavailableException;

/**
 * The connection pool and the entities on it. Knows H2 and PostgreSQL; brings the schema up to date when it is opened.
 * Thread-safe. Close it last.
 */
public final class Database implements AutoCloseable {
    private static final String PERSISTENCE_UNIT = "sallyport";
    private static final int MAX_CONNECT_ATTEMPTS = 5;

    private final PgTlsRegistry tls;
    private final HikariDataSource pool;
    private final EntityManagerFactory entityManagerFactory;
    private final DiskReserve disk;
    private final GroupCommit groupCommit = new GroupCommit(this::write);
    private final boolean isH2;
    private final boolean protectsRows;
    private final ReentrantLock sweepLock = new ReentrantLock();

    private Database(
            PgTlsRegistry tls,
            HikariDataSource pool,
            EntityManagerFactory entities,
            DiskReserve disk,
            boolean shares,
            boolean protectsRows) {
        this.tls = tls;
        this.pool = pool;
        this.entityManagerFactory = entities;
        this.disk = disk;
        this.isH2 = shares;
        this.protectsRows = protectsRows;
    }

    /**
     * Connects and migrates the schema. Tries for a few connect timeouts while the database is away, then throws {@link
     * StoreUnavailableException}; {@link IllegalArgumentException} when the URL would lose data.
     */
    public static Database open(DatabaseSettings settings) {
        PgTlsRegistry tls = PgTlsRegistry.of(settings);
        try {
            SchemaMigrator.migrate(settings, tls, MAX_CONNECT_ATTEMPTS);
            return open(settings, tls, SchemaMigrator.enableRowSecurity(settings, tls));
        } catch (RuntimeException e) {
            tls.close();
            throw e;
        }
    }

    private static Database open(DatabaseSettings settings, PgTlsRegistry tls, boolean protectsRows) {
        HikariDataSource pool = new HikariDataSource(poolConfiguration(settings, tls));
        try {
            return new Database(
                    tls,
                    pool,
                    Persistence.createEntityManagerFactory(PERSISTENCE_UNIT, unitProperties(pool)),
                    DiskReserve.of(settings.url(), settings.minFreeBytes()),
                    !JdbcUrl.isPostgreSql(settings.url()),
                    protectsRows);
        } catch (RuntimeException e) {
            pool.close();
            throw SqlErrorClassifier.translate(e);
        }
    }

    private static HikariConfig poolConfiguration(DatabaseSettings settings, PgTlsRegistry tls) {
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("sallyport-database");
        pool.setJdbcUrl(JdbcUrl.complete(settings.url()));
        pool.setDriverClassName(SchemaMigrator.driverClass(settings.url()));
        pool.setUsername(settings.user());
        pool.setPassword(settings.password());
        pool.setMaximumPoolSize(settings.poolSize());
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

    private static Map<String, Object> unitProperties(HikariDataSource pool) {
        return Map.of(
                "jakarta.persistence.nonJtaDataSource",
                pool,
                "eclipselink.classloader",
                Database.class.getClassLoader(),
                // EclipseLink shares what has the same session name, and one process may open two databases.
                "eclipselink.session-name",
                PERSISTENCE_UNIT + "-" + UUID.randomUUID());
    }

    /** One transaction, committed when {@code work} returns. */
    <T> T write(Function<EntityManager, T> work) {
        EntityManager session = entityManagerFactory.createEntityManager();
        boolean connected = false;
        try {
            session.getTransaction().begin();
            // Now rather than at the first statement: every read of the transaction is to see what it wrote.
            session.unwrap(Connection.class);
            connected = true;
            T result = work.apply(session);
            session.getTransaction().commit();
            return result;
        } catch (RuntimeException e) {
            if (connected) {
                // Otherwise EclipseLink would wait for a connection a second time, only to roll it back.
                rollBack(session, e);
            }
            throw SqlErrorClassifier.translate(e);
        } finally {
            session.close();
        }
    }

    /** As {@link #write}, for one tenant: with {@link RowSecurity} rows of others are neither seen nor written. */
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
     * As {@link #write}; on H2 in one transaction with others that come at the same time, see {@link GroupCommit}.
     * PostgreSQL brings commits together by itself, and would lose more by doing one thing after the other.
     */
    <T> T writeInGroupCommit(Function<EntityManager, T> work) {
        return isH2 ? groupCommit.write(work) : write(work);
    }

    /**
     * As {@link #write}, for work that finds rows by a statement of {@link #withSkipLocked} and changes them: on H2 one at a
     * time, which for this work is faster.
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
     * Of what a statement of {@link #withSkipLocked} found, what nobody else holds: on H2 the rows are held only now, by which time they
     * may have changed.
     *
     * @param rows of executions, their ids first
     */
    List<Object[]> lockAvailable(EntityManager session, List<Object[]> rows) {
        if (!isH2) {
            return rows;
        }
        Set<UUID> held = ExecutionQueries.lockAvailable(
                session, rows.stream().map(row -> (UUID) row[0]).toList());
        return rows.stream().filter(row -> held.contains((UUID) row[0])).toList();
    }

    /** As {@code statement}, without the rows that other nodes hold. H2, which has one node, would read and sort all that apply for it. */
    String withSkipLocked(String statement) {
        return isH2 ? statement : statement + " for update skip locked";
    }

    /** As {@link #write}; once more when another transaction inserted the same row meanwhile, which then is found. */
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

    /** As {@link #writeWithDuplicateRetry(Function)}, for one tenant as {@link #write(String, Function)}. */
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

    /** Reads that need not agree with each other: no transaction. */
    <T> T read(Function<EntityManager, T> work) {
        EntityManager session = entityManagerFactory.createEntityManager();
        try {
            return work.apply(session);
        } catch (RuntimeException e) {
            throw SqlErrorClassifier.translate(e);
        } finally {
            session.close();
        }
    }

    /** As {@link #read}, for one tenant: with {@link RowSecurity}, which holds for a transaction, rows of others are not seen. */
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
                // Not committed: nothing was written, so nothing need be looked through for changes.
                session.getTransaction().rollback();
                return result;
            } catch (RuntimeException e) {
                rollBack(session, e);
                throw e;
            }
        });
    }

    /** {@link StoreUnavailableException} when there is no room for anything new: what was accepted needs the rest. */
    void requireDiskSpace() {
        disk.requireFreeSpace();
    }

    /** Throws {@link StoreUnavailableException} unless the database answers and has room. */
    public void ping() {
        requireDiskSpace();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(protectsRows ? RowSecurity.ASSUME_ROLE : "select 1");
        } catch (SQLException e) {
            throw SqlErrorClassifier.toUnavailable(e, e);
        }
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
