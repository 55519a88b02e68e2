package org.sallyport.store.jpa;

import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Installs and enters PostgreSQL's row-level security, a second barrier behind the tenant condition of each statement.
 * Work for one tenant runs in the role {@value #ROLE}. This role sees no row of another tenant, even if a statement
 * lacks its tenant condition, and no table that belongs to no tenant. The service's own work (claims, leases,
 * retention) concerns all tenants. It runs as the owner of the tables, to whom the policies do not apply.
 *
 * <p>The policies are derived from the existing tables, so that a new table is not forgotten: every table with a column
 * {@code tenant}, and every table whose rows refer to such rows by a foreign key.
 */
final class RowSecurity {
    static final String ROLE = "sallyport_tenant";
    private static final String TENANT_SETTING = "sallyport.tenant";
    /**
     * Serializes the installation among nodes that start at the same time. The number is arbitrary; no other advisory
     * lock uses it.
     */
    private static final long ADVISORY_LOCK_ID = 0x5a11_7e4a_4275L;

    private static final String ENTER_TENANT =
            "select set_config('role', '" + ROLE + "', true), set_config('" + TENANT_SETTING + "', ?, true)";

    private static final String CURRENT_SCHEMA = "quote_ident(current_schema())::regnamespace";

    private static final String TENANT_TABLES = "select c.oid::regclass::text from pg_class c"
            + " join pg_attribute a on a.attrelid = c.oid"
            + " where c.relkind = 'r' and c.relnamespace = " + CURRENT_SCHEMA
            + " and a.attname = 'tenant' and not a.attisdropped order by 1";

    /** Finds a table whose policies would silently hide rows from the current user. */
    private static final String FIND_HIDDEN_TABLE =
            "select c.relname from pg_class c where c.relkind = 'r' and c.relnamespace = " + CURRENT_SCHEMA
                    + " and c.relrowsecurity and row_security_active(c.oid) order by 1 limit 1";

    /** Selects child table, parent table and the equalities of their columns, one row for each foreign key. */
    private static final String FOREIGN_KEYS = "select k.conrelid::regclass::text, k.confrelid::regclass::text,"
            + " (select string_agg(format('p.%I = %s.%I', f.attname, k.conrelid::regclass, t.attname), ' and ' order "
            + "by n)"
            + " from unnest(k.conkey, k.confkey) with ordinality as c(own, other, n)"
            + " join pg_attribute t on t.attrelid = k.conrelid and t.attnum = c.own"
            + " join pg_attribute f on f.attrelid = k.confrelid and f.attnum = c.other)"
            + " from pg_constraint k where k.contype = 'f' and k.connamespace = " + CURRENT_SCHEMA + " order by 1, 2";

    /**
     * Selects each table that has the policy. The second column is the condition of the policy, or null if row-level
     * security is off or the role lacks a privilege: a restored table may have lost the privileges of the role.
     */
    private static final String POLICIES = "select c.oid::regclass::text, case when c.relrowsecurity"
            + " and has_schema_privilege('" + ROLE + "', c.relnamespace, 'usage')"
            + " and has_table_privilege('" + ROLE + "', c.oid, 'select')"
            + " and has_table_privilege('" + ROLE + "', c.oid, 'insert')"
            + " and has_table_privilege('" + ROLE + "', c.oid, 'update')"
            + " and has_table_privilege('" + ROLE + "', c.oid, 'delete') then d.description end"
            + " from pg_policy p join pg_class c on c.oid = p.polrelid"
            + " left join pg_description d on d.objoid = p.oid and d.classoid = 'pg_policy'::regclass"
            + " where c.relnamespace = " + CURRENT_SCHEMA + " and p.polname = '" + ROLE + "'";

    /**
     * Checks whether the current user can still assume the role. In autocommit mode the setting ends with the
     * statement.
     */
    static final String ASSUME_ROLE = "select set_config('role', '" + ROLE + "', true)";

    private static final int MAX_ATTEMPTS = 10;
    private static final long PAUSE_MILLIS = 500;

    private RowSecurity() {}

    /**
     * The service's database user may neither create nor assume the role. The message tells the database administrator
     * which statements grant it.
     */
    static final class RowSecurityUnavailableException extends Exception {
        private static final long serialVersionUID = 1L;

        RowSecurityUnavailableException(SQLException cause) {
            super(
                    "row-level security is not in force: the database user can neither create nor assume the role "
                            + ROLE
                            + " (" + cause.getMessage() + "). An administrator of the database grants it with:"
                            + " create role " + ROLE + " nologin; grant " + ROLE
                            + " to <the user in sallyport.db.user>;",
                    cause);
        }
    }

    /**
     * Checks that no policy hides rows from the service's database user.
     *
     * @throws IllegalStateException if a table has policies that apply to this user
     */
    static void requireAllRowsVisible(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(FIND_HIDDEN_TABLE)) {
            if (row.next()) {
                throw new IllegalStateException("row-level security hides the rows of the table " + row.getString(1)
                        + " from the user in sallyport.db.user: it must own the tables, or have the attribute"
                        + " bypassrls");
            }
        }
    }

    /**
     * Creates the role and the missing policies. Locks one table at a time, and none for long, because other nodes may
     * be at work. The call is idempotent and costs a few queries if everything exists.
     *
     * @param connection used by no other caller; the caller closes it afterwards
     */
    static void install(Connection connection) throws SQLException, RowSecurityUnavailableException {
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            statement.execute("set lock_timeout = '30s'");
            statement.execute("select pg_advisory_lock(" + ADVISORY_LOCK_ID + ")");
            ensureRole(statement);
            Map<String, Optional<String>> present = findPolicies(statement);
            for (Map.Entry<String, String> table : policyConditions(statement).entrySet()) {
                Optional<String> before = present.get(table.getKey());
                if (before == null || !before.equals(Optional.of(table.getValue()))) {
                    protectWithRetry(connection, statement, table, before != null);
                }
            }
        }
    }

    private static void ensureRole(Statement statement) throws SQLException, RowSecurityUnavailableException {
        try {
            if (!hasRow(statement, "select 1 from pg_roles where rolname = '" + ROLE + "'")) {
                createRole(statement);
            }
            try {
                statement.execute(ASSUME_ROLE);
            } catch (SQLException e) {
                // A user that creates a role may grant it, also to itself, but is not always a member of it.
                statement.execute("grant " + ROLE + " to current_user");
                statement.execute(ASSUME_ROLE);
            }
        } catch (SQLException e) {
            if (e.getSQLState() != null && e.getSQLState().startsWith("42")) {
                throw new RowSecurityUnavailableException(e);
            }
            throw e;
        }
    }

    /**
     * Tolerates that the role exists: roles belong to the whole server, and another installation on it may have created
     * this one concurrently.
     */
    private static void createRole(Statement statement) throws SQLException {
        try {
            statement.execute("create role " + ROLE + " nologin");
        } catch (SQLException e) {
            if (!"42710".equals(e.getSQLState()) && !"23505".equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    private static boolean hasRow(Statement statement, String question) throws SQLException {
        try (ResultSet row = statement.executeQuery(question)) {
            return row.next();
        }
    }

    private static Map<String, Optional<String>> findPolicies(Statement statement) throws SQLException {
        Map<String, Optional<String>> present = new LinkedHashMap<>();
        try (ResultSet row = statement.executeQuery(POLICIES)) {
            while (row.next()) {
                present.put(row.getString(1), Optional.ofNullable(row.getString(2)));
            }
        }
        return present;
    }

    /** Maps each table to the condition that a row must meet to be read and written. */
    private static Map<String, String> policyConditions(Statement statement) throws SQLException {
        Map<String, String> rules = new LinkedHashMap<>();
        try (ResultSet row = statement.executeQuery(TENANT_TABLES)) {
            while (row.next()) {
                rules.put(row.getString(1), "tenant = current_setting('" + TENANT_SETTING + "')");
            }
        }
        List<String[]> belonging = new ArrayList<>();
        try (ResultSet row = statement.executeQuery(FOREIGN_KEYS)) {
            while (row.next()) {
                belonging.add(new String[] {row.getString(1), row.getString(2), row.getString(3)});
            }
        }
        // A grandchild gets its condition in the round after its parent table got one.
        boolean found = true;
        while (found) {
            found = false;
            for (String[] key : belonging) {
                if (rules.containsKey(key[1])
                        && rules.putIfAbsent(key[0], "exists (select from " + key[1] + " p where " + key[2] + ")")
                                == null) {
                    found = true;
                }
            }
        }
        return rules;
    }

    /**
     * Protects one table in its own transaction. If the table is in use, it rolls back and tries again, up to {@value
     * #MAX_ATTEMPTS} times: a waiting lock request would block all other users of the table.
     */
    private static void protectWithRetry(
            Connection connection, Statement statement, Map.Entry<String, String> table, boolean replaced)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            for (int attempt = 1; ; attempt++) {
                try {
                    protect(statement, table.getKey(), table.getValue(), replaced);
                    connection.commit();
                    return;
                } catch (SQLException e) {
                    connection.rollback();
                    boolean inUse = "55P03".equals(e.getSQLState()) || "40P01".equals(e.getSQLState());
                    if (!inUse || attempt == MAX_ATTEMPTS) {
                        throw e;
                    }
                    SchemaMigrator.sleep(PAUSE_MILLIS);
                }
            }
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static void protect(Statement statement, String table, String rule, boolean replaced) throws SQLException {
        statement.execute("set local lock_timeout = '1s'");
        if (replaced) {
            statement.execute("drop policy " + ROLE + " on " + table);
        }
        statement.execute("alter table " + table + " enable row level security");
        statement.execute("create policy " + ROLE + " on " + table + " to " + ROLE + " using (" + rule + ")");
        statement.execute("comment on policy " + ROLE + " on " + table + " is '" + rule.replace("'", "''") + "'");
        statement.execute("grant select, insert, update, delete on " + table + " to " + ROLE);
        statement.execute(
                "do $$ begin execute format('grant usage on schema %I to " + ROLE + "', current_schema()); end $$");
    }

    /** Restricts the session's current transaction to one tenant, until the transaction ends. */
    static void enterTenant(EntityManager session, String tenant) {
        try (PreparedStatement statement = session.unwrap(Connection.class).prepareStatement(ENTER_TENANT)) {
            statement.setString(1, LosslessText.encode(tenant));
            statement.execute();
        } catch (SQLException e) {
            throw new IllegalStateException("the database user cannot assume the role " + ROLE, e);
        }
    }
}
