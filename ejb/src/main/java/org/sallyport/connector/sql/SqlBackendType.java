package org.sallyport.connector.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendNameRules;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendConnection;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.BackendType;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.SecretReferences;
import org.sallyport.connector.SecretResolverFactory;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * Databases: {@code url} or {@code dataSource}, {@code user}, {@code password}, {@code statements}, {@code sendCallId}.
 * Allowed in the installation's file only, because the operator must decide where a driver connects and which
 * statements exist.
 */
public final class SqlBackendType implements BackendType {
    private static final String SEND_CALL_ID = "sendCallId";
    private static final String PARAMETERS = "parameters";
    private static final String INPUT_SCHEMA = "inputSchema";
    private static final Set<String> SETTING_NAMES =
            Set.of("url", "dataSource", "user", "password", "statements", SEND_CALL_ID, "maxRows", "maxChars");
    private static final Set<String> STATEMENT_SETTING_NAMES =
            Set.of("sql", "description", PARAMETERS, INPUT_SCHEMA, "writes", "idempotent", "destructive");
    private static final Map<String, String> DRIVERS =
            Map.of("jdbc:postgresql:", "org.postgresql.Driver", "jdbc:h2:", "org.h2.Driver");
    private static final Pattern PASSWORD_IN_URL = Pattern.compile("[?&;]\\s*password\\s*=", Pattern.CASE_INSENSITIVE);
    private static final int DEFAULT_MAX_ROWS = 1_000;
    private static final int DEFAULT_MAX_CHARS = 1 << 20;
    private static final long CONNECT_TIMEOUT_MILLIS = 5_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Executor executor;
    private final SecretResolverFactory secrets;

    /** @param executor runs each statement on a thread of its own */
    public SqlBackendType(Executor executor, SecretResolverFactory secrets) {
        this.executor = executor;
        this.secrets = secrets;
    }

    @Override
    public String name() {
        return "sql";
    }

    @Override
    public Set<String> secretSettings() {
        return Set.of("password");
    }

    /** An operator wrote the statements, so that the hints about their effects are trusted. */
    @Override
    public boolean declaresTrustedHints() {
        return true;
    }

    @Override
    public void check(BackendSettings settings) {
        if (!settings.trusted()) {
            throw settings.invalid(
                    "url", "and the statements of a database may be set only in the installation's" + " backends file");
        }
        Set<String> known = new TreeSet<>(CallSettings.SETTING_NAMES);
        known.addAll(SETTING_NAMES);
        settings.allowOnly(known);
        Optional<String> url = settings.optionalText("url");
        if (url.isPresent() == settings.optionalText("dataSource").isPresent()) {
            throw settings.invalid("url", "or 'dataSource' must be set, and not both");
        }
        url.ifPresent(text -> driver(settings, text));
        if (url.filter(PASSWORD_IN_URL.asPredicate()).isPresent()) {
            throw settings.invalid("url", "must not have a password, because it is shown; use 'password'");
        }
        settings.optionalText("password").ifPresent(value -> SecretReferences.check(settings, "password", value));
        limits(settings);
        Map<String, NamedParameterStatement> statements = statements(settings);
        if (statements.isEmpty()) {
            throw settings.invalid("statements", "is missing or empty");
        }
        if (settings.flag(SEND_CALL_ID, false)
                && statements.values().stream().noneMatch(NamedParameterStatement::sendsCallId)) {
            throw settings.invalid(
                    SEND_CALL_ID, "needs a statement with the parameter ':" + NamedParameterStatement.CALL_ID + "'");
        }
    }

    private static String driver(BackendSettings settings, String url) {
        return DRIVERS.entrySet().stream()
                .filter(entry -> url.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> settings.invalid("url", "must begin with jdbc:postgresql: or jdbc:h2:"));
    }

    private static SqlBackend.SqlLimits limits(BackendSettings settings) {
        return new SqlBackend.SqlLimits(
                settings.integer("maxRows", DEFAULT_MAX_ROWS, 1, 100_000),
                settings.integer("maxChars", DEFAULT_MAX_CHARS, 1, 1 << 26),
                CallSettings.of(settings).timeout());
    }

    private static Map<String, NamedParameterStatement> statements(BackendSettings settings) {
        Map<String, NamedParameterStatement> statements = new LinkedHashMap<>();
        boolean sendCallId = settings.flag(SEND_CALL_ID, false);
        settings.objects("statements").forEach((name, statement) -> {
            if (!BackendNameRules.isToolName(name)) {
                throw settings.invalid("statements." + name, "must have a name of letters, digits, '_', '.' and '-'");
            }
            statements.put(name, statement(name, statement, sendCallId));
        });
        return statements;
    }

    private static NamedParameterStatement statement(String name, BackendSettings settings, boolean sendCallId) {
        settings.allowOnly(STATEMENT_SETTING_NAMES);
        NamedParameterStatement.ParsedStatement parsed = NamedParameterStatement.parse(settings.text("sql"))
                .orElseThrow(() ->
                        settings.invalid("sql", "must be one statement, with ':name' where arguments go and no '?'"));
        boolean sendsCallId = sendCallId && parsed.parameters().contains(NamedParameterStatement.CALL_ID);
        Set<String> arguments = new LinkedHashSet<>(parsed.parameters());
        if (sendsCallId) {
            arguments.remove(NamedParameterStatement.CALL_ID);
            checkCallIdIsUndeclared(settings);
        }
        boolean writes = settings.flag("writes", false);
        boolean idempotent = settings.flag("idempotent", !writes);
        return new NamedParameterStatement(
                parsed.sql(),
                parsed.parameters(),
                sendsCallId,
                writes,
                new ToolDefinition(
                        name,
                        name,
                        settings.optionalText("description").orElse(name),
                        settings.json(INPUT_SCHEMA).orElseGet(() -> schema(settings, arguments)),
                        Optional.empty(),
                        new ToolHints(!writes, idempotent, settings.flag("destructive", false))));
    }

    /** Refuses a statement that declares the id of the call as an argument. */
    private static void checkCallIdIsUndeclared(BackendSettings settings) {
        Optional<BackendSettings> declared = settings.object(INPUT_SCHEMA)
                .map(schema -> schema.object("properties"))
                .orElseGet(() -> settings.object(PARAMETERS));
        declared.filter(arguments -> arguments.members().containsKey(NamedParameterStatement.CALL_ID))
                .ifPresent(arguments -> {
                    throw arguments.invalid(
                            NamedParameterStatement.CALL_ID,
                            "is the id of the call, because '" + SEND_CALL_ID
                                    + "' is true; give the argument another name");
                });
    }

    /** Schema of the arguments, all of which are required; {@code parameters} refines their types. */
    private static Json schema(BackendSettings settings, Set<String> names) {
        ObjectNode schema = JSON.createObjectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        Map<String, Json> declared =
                settings.object(PARAMETERS).map(BackendSettings::members).orElse(Map.of());
        declared.keySet().forEach(name -> {
            if (!names.contains(name)) {
                throw settings.invalid(PARAMETERS + "." + name, "is not in the statement");
            }
        });
        names.forEach(name -> properties.putRawValue(
                name,
                new RawValue(declared.getOrDefault(name, Json.EMPTY_OBJECT).text())));
        names.forEach(schema.putArray("required")::add);
        return new Json(schema.put("additionalProperties", false).toString());
    }

    @Override
    public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        int connections = CallSettings.of(settings).maxConcurrent();
        return new SqlBackend(
                statements(settings),
                known -> openDataSource(definition.name(), settings, connections, known),
                limits(settings),
                () -> secrets.resolverFor(definition),
                listener,
                executor);
    }

    private static HikariDataSource openDataSource(
            String name, BackendSettings settings, int connections, SecretReferences known) {
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("sallyport-backend-" + name);
        settings.optionalText("url").ifPresent(url -> {
            pool.setJdbcUrl(url);
            pool.setDriverClassName(driver(settings, url));
            if (url.startsWith("jdbc:postgresql:")) {
                // Lets PostgreSQL convert text to dates, UUIDs, JSON and other types.
                pool.addDataSourceProperty("stringtype", "unspecified");
            }
        });
        settings.optionalText("dataSource").ifPresent(pool::setDataSourceJNDI);
        settings.optionalText("user").ifPresent(pool::setUsername);
        settings.optionalText("password").map(known::resolve).ifPresent(pool::setPassword);
        pool.setMaximumPoolSize(connections);
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(CONNECT_TIMEOUT_MILLIS);
        pool.setInitializationFailTimeout(-1);
        return new HikariDataSource(pool);
    }
}
