package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.quota.QuotaType;
import org.sallyport.store.jpa.DatabaseSettings.RowSecurityMode;

/** Statements that by mistake omit the tenant, against a real PostgreSQL. */
class RowSecurityTest {
    private static final String STRANGE = "b\u0000' or '1'='1";

    private static TestDatabase server;

    @BeforeAll
    static void open() {
        server = TestDatabase.postgreSqlServer();
    }

    @AfterAll
    static void close() throws Exception {
        server.close();
    }

    @BeforeEach
    void clear() throws SQLException {
        server.clear();
    }

    private static Database database() {
        return server.database();
    }

    private static void submitFor(String tenant) {
        new JpaExecutionStore(database(), Duration.ofHours(1))
                .insert(anExecution().tenant(tenant).build());
    }

    private static long count(EntityManager session, String table) {
        return ((Number) session.createNativeQuery("select count(*) from " + table)
                        .getSingleResult())
                .longValue();
    }

    @Test
    void everyTableWithTenantDataHasRowSecurity() throws SQLException {
        Set<String> open = new TreeSet<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("select relname from pg_class where relkind = 'r'"
                        + " and relnamespace = 'public'::regnamespace and not relrowsecurity")) {
            while (row.next()) {
                open.add(row.getString(1));
            }
        }
        // Tables that belong to no tenant. A transaction that acts for a tenant may not even read them.
        assertThat(open)
                .containsExactly(
                        "backend_tool", "concurrency_lock", "flyway_schema_history", "node", "tool_graph_cursor");
        for (String table : open) {
            assertThatThrownBy(() -> database().read("a", session -> count(session, table)))
                    .as(table)
                    .hasStackTraceContaining("permission denied");
        }
    }

    @Test
    void queryWithoutATenantConditionSeesOnlyRowsOfTheTenant() {
        submitFor("a");
        submitFor("a");
        submitFor(STRANGE);

        for (String table : new String[] {"execution", "execution_input"}) {
            assertThat(database().<Long>read("a", session -> count(session, table)))
                    .isEqualTo(2);
            assertThat(database().<Long>read(STRANGE, session -> count(session, table)))
                    .isEqualTo(1);
            assertThat(database().<Long>read("nobody", session -> count(session, table)))
                    .isZero();
        }
        assertThat(database().<Long>read(session -> count(session, "execution")))
                .isEqualTo(3);
    }

    @Test
    void deleteWithoutATenantConditionAffectsOnlyRowsOfTheTenant() {
        JpaQuotaStore quotas = new JpaQuotaStore(database());
        quotas.setOverrides("a", Map.of(QuotaType.LIVE, 1L), "k");
        quotas.setOverrides("b", Map.of(QuotaType.LIVE, 2L), "k");

        int deleted = database()
                .write(
                        "a",
                        session -> session.createNativeQuery("delete from tenant_quota")
                                .executeUpdate());

        assertThat(deleted).isEqualTo(1);
        assertThat(quotas.findOverrides("b")).isEqualTo(Map.of(QuotaType.LIVE, 2L));
    }

    @Test
    void insertForAnotherTenantIsRefused() {
        assertThatThrownBy(() -> database()
                        .write(
                                "a",
                                session -> session.createNativeQuery(
                                                "insert into demo_count (tenant, name, total, calls) values ('b', "
                                                        + "'n', 1, 1)")
                                        .executeUpdate()))
                .hasStackTraceContaining("row-level security policy");
    }

    @Test
    void connectionKeepsNoTenantAfterATransaction() {
        submitFor("a");
        submitFor("b");
        for (int i = 0; i < 20; i++) {
            assertThat(database().<Long>read("a", session -> count(session, "execution")))
                    .isEqualTo(1);
            assertThat(database().<Long>write(session -> count(session, "execution")))
                    .isEqualTo(2);
            assertThatThrownBy(() -> database().write("b", session -> {
                        throw new IllegalStateException("fails");
                    }))
                    .hasMessage("fails");
            assertThatThrownBy(() -> database().read("b", session -> {
                        throw new IllegalStateException("fails");
                    }))
                    .hasMessage("fails");
            assertThat(database().<Long>read(session -> count(session, "execution")))
                    .isEqualTo(2);
        }
    }

    @Test
    void missingOrWrongPolicyIsRestoredAtTheNextStart() throws SQLException {
        run(
                "drop policy sallyport_tenant on execution",
                "drop policy sallyport_tenant on api_key",
                "create policy sallyport_tenant on api_key to sallyport_tenant using (true)",
                "alter table secret disable row level security");
        submitFor("a");
        submitFor("b");
        try (Database reopened = Database.open(server.settings())) {
            assertThat(reopened.<Long>read("a", session -> count(session, "execution")))
                    .isEqualTo(1);
        }
        everyTableWithTenantDataHasRowSecurity();
    }

    @Test
    void missingRoleIsFatalOnlyIfRequiredAndAnAdministratorCanGrantIt() throws Exception {
        run("create role modest login password 'modest' nocreaterole", "create database modest owner modest");
        try {
            // The role already exists in the cluster, created for the other database; this user is not a member of it.
            DatabaseSettings modest = settingsFor("modest", RowSecurityMode.AUTO);
            try (Database opened = Database.open(modest)) {
                assertThat(opened.<Long>read("a", session -> count(session, "node")))
                        .isZero();
            }
            DatabaseSettings strict = settingsFor("modest", RowSecurityMode.REQUIRED);
            assertThatThrownBy(() -> Database.open(strict))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("row-level security is not in force")
                    .hasMessageContaining("grant sallyport_tenant to");
            run("grant sallyport_tenant to modest");
            assertThatCode(() -> Database.open(strict).close()).doesNotThrowAnyException();
            try (Database opened = Database.open(strict)) {
                assertThatThrownBy(() -> opened.read("a", session -> count(session, "node")))
                        .hasStackTraceContaining("permission denied");
                new JpaExecutionStore(opened, Duration.ofHours(1))
                        .insert(anExecution().tenant("b").build());
                assertThat(opened.<Long>read("a", session -> count(session, "execution")))
                        .isZero();
                assertThat(opened.<Long>read("b", session -> count(session, "execution")))
                        .isEqualTo(1);
            }
            try (Database opened = Database.open(settingsFor("modest", RowSecurityMode.OFF))) {
                assertThat(opened.<Long>read("a", session -> count(session, "execution")))
                        .isEqualTo(1);
            }
        } finally {
            run("drop database modest with (force)", "drop role modest");
        }
    }

    @Test
    void revokedTablePrivilegesAreRestoredAtTheNextStart() throws SQLException {
        run("revoke all on execution from sallyport_tenant", "revoke usage on schema public from sallyport_tenant");
        submitFor("a");
        try (Database reopened = Database.open(server.settings())) {
            assertThat(reopened.<Long>read("a", session -> count(session, "execution")))
                    .isEqualTo(1);
        }
    }

    @Test
    void tableInUseDelaysOnlyTheStart() throws Exception {
        run("drop policy sallyport_tenant on execution");
        submitFor("a");
        try (Connection reader = server.connect();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("select count(*) from execution");
            CompletableFuture<Database> starting =
                    CompletableFuture.supplyAsync(() -> Database.open(server.settings()));
            for (int i = 0; i < 10; i++) {
                assertThat(database().<Long>read(session -> count(session, "execution")))
                        .isEqualTo(1);
            }
            assertThat(starting).isNotDone();
            reader.rollback();
            try (Database reopened = starting.get(1, TimeUnit.MINUTES)) {
                assertThat(reopened.<Long>read("a", session -> count(session, "execution")))
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void userThatRowSecurityWouldLimitIsRefusedAtTheStart() throws Exception {
        run(
                "create role clerk login password 'clerk'",
                "grant usage on schema public to clerk",
                "grant select, insert, update, delete on all tables in schema public to clerk");
        try {
            DatabaseSettings clerk = settingsFor("clerk", "postgres", RowSecurityMode.OFF);
            assertThatThrownBy(() -> Database.open(clerk))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("must own the tables");
        } finally {
            run("drop owned by clerk", "drop role clerk");
        }
    }

    @Test
    void revokedRoleIsReported() throws Exception {
        run("create role brief login password 'brief' nocreaterole", "create database brief owner brief");
        try {
            run("grant sallyport_tenant to brief");
            try (Database opened = Database.open(settingsFor("brief", RowSecurityMode.REQUIRED))) {
                opened.ping();
                run("revoke sallyport_tenant from brief");
                assertThatThrownBy(opened::ping).hasMessageContaining("sallyport_tenant");
                run("grant sallyport_tenant to brief");
                opened.ping();
            }
        } finally {
            run("drop database brief with (force)", "drop role brief");
        }
    }

    private static DatabaseSettings settingsFor(String name, RowSecurityMode mode) {
        return settingsFor(name, name, mode);
    }

    private static DatabaseSettings settingsFor(String name, String database, RowSecurityMode mode) {
        DatabaseSettings all = server.settings();
        return new DatabaseSettings(
                all.url().replaceFirst("/postgres$", "/" + database),
                name,
                name,
                4,
                all.connectTimeout(),
                0,
                Optional.empty(),
                mode);
    }

    private static void run(String... statements) throws SQLException {
        DatabaseSettings settings = server.settings();
        try (Connection connection = DriverManager.getConnection(settings.url(), settings.user(), settings.password());
                Statement statement = connection.createStatement()) {
            for (String one : statements) {
                statement.execute(one);
            }
        }
    }
}
