package org.sallyport.connector.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendNames;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.BackendKind;
import org.sallyport.connector.BackendSettings;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.LiveBackend;
import org.sallyport.connector.SecretAccess;
import org.sallyport.connector.Secrets;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * Databases: {@code url} or {@code dataSource}, {@code user}, {@code password}, {@code statements}. For the installation's file
 * alone: where a driver may be led, and which statements there are, is the operator's word.
 */
public final class SqlStatements implements BackendKind {
    private static final Set<String> OWN =
            Set.of("url", "dataSource", "user", "password", "statements", "maxRows", "maxChars");
    private static final Set<String> KNOWN =
            Set.of("sql", "description", "parameters", "inputSchema", "writes", "idempotent", "destructive");
    private static final Map<String, String> DRIVERS =
            Map.of("jdbc:postgresql:", "org.postgresql.Driver", "jdbc:h2:", "org.h2.Driver");
    private static final Pattern PASSWORD_WITHIN = Pattern.compile("[?&;]\\s*password\\s*=", Pattern.CASE_INSENSITIVE);
    private static final int ROWS = 1_000;
    private static final int CHARS = 1 << 20;
    private static final long CONNECT_MILLIS = 5_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Executor executor;
    private final SecretAccess secrets;

    /** @param executor runs one statement a thread */
    public SqlStatements(Executor executor, SecretAccess secrets) {
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

    /** An operator wrote the statements, so what is said of their effects counts. */
    @Override
    public boolean declaresHints() {
        return true;
    }

    @Override
    public void check(BackendSettings settings) {
        if (!settings.trusted()) {
            throw settings.fault("url", "and the statements of a database are for the installation's file alone");
        }
        Set<String> known = new TreeSet<>(CallSettings.NAMES);
        known.addAll(OWN);
        settings.allow(known);
        Optional<String> url = settings.optionalText("url");
        if (url.isPresent() == settings.optionalText("dataSource").isPresent()) {
            throw settings.fault("url", "or 'dataSource' must be there, and not both");
        }
        url.ifPresent(text -> driver(settings, text));
        if (url.filter(PASSWORD_WITHIN.asPredicate()).isPresent()) {
            throw settings.fault("url", "must hold no password: it is shown; use 'password'");
        }
        settings.optionalText("password").ifPresent(value -> Secrets.check(settings, "password", value));
        limits(settings);
        if (statements(settings).isEmpty()) {
            throw settings.fault("statements", "is missing or empty");
        }
    }

    private static String driver(BackendSettings settings, String url) {
        return DRIVERS.entrySet().stream()
                .filter(entry -> url.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> settings.fault("url", "must begin with jdbc:postgresql: or jdbc:h2:"));
    }

    private static SqlBackend.Limits limits(BackendSettings settings) {
        return new SqlBackend.Limits(
                settings.whole("maxRows", ROWS, 1, 100_000),
                settings.whole("maxChars", CHARS, 1, 1 << 26),
                CallSettings.of(settings).timeout());
    }

    private static Map<String, NamedStatement> statements(BackendSettings settings) {
        Map<String, NamedStatement> statements = new LinkedHashMap<>();
        settings.objects("statements").forEach((name, statement) -> {
            if (!BackendNames.ofTools(List.of(name)).containsValue(name)) {
                throw settings.fault("statements." + name, "must have a name of letters, digits, '_', '.' and '-'");
            }
            statements.put(name, statement(name, statement));
        });
        return statements;
    }

    private static NamedStatement statement(String name, BackendSettings settings) {
        settings.allow(KNOWN);
        NamedStatement.Parsed parsed = NamedStatement.parse(settings.text("sql"))
                .orElseThrow(() ->
                        settings.fault("sql", "must be one statement, with ':name' where arguments go and no '?'"));
        boolean writes = settings.flag("writes", false);
        boolean idempotent = settings.flag("idempotent", !writes);
        return new NamedStatement(
                parsed.sql(),
                parsed.parameters(),
                writes,
                new ToolDefinition(
                        name,
                        name,
                        settings.optionalText("description").orElse(name),
                        settings.json("inputSchema").orElseGet(() -> schema(settings, parsed.parameters())),
                        Optional.empty(),
                        new ToolHints(!writes, idempotent, settings.flag("destructive", false))));
    }

    /** An object with what is bound, all of which must be there; {@code parameters} says what each may be. */
    private static Json schema(BackendSettings settings, List<String> bound) {
        ObjectNode schema = JSON.createObjectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        Set<String> names = new LinkedHashSet<>(bound);
        Map<String, Json> declared =
                settings.object("parameters").map(BackendSettings::members).orElse(Map.of());
        declared.keySet().forEach(name -> {
            if (!names.contains(name)) {
                throw settings.fault("parameters." + name, "is not in the statement");
            }
        });
        names.forEach(name -> properties.putRawValue(
                name,
                new RawValue(declared.getOrDefault(name, Json.EMPTY_OBJECT).text())));
        names.forEach(schema.putArray("required")::add);
        return new Json(schema.put("additionalProperties", false).toString());
    }

    @Override
    public LiveBackend open(BackendDefinition definition, LiveBackend.Listener listener) {
        BackendSettings settings = BackendSettings.of(definition);
        int connections = CallSettings.of(settings).concurrent();
        return new SqlBackend(
                statements(settings),
                known -> pool(definition.name(), settings, connections, known),
                limits(settings),
                () -> secrets.of(definition),
                listener,
                executor);
    }

    private static HikariDataSource pool(String name, BackendSettings settings, int connections, Secrets known) {
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("sallyport-backend-" + name);
        settings.optionalText("url").ifPresent(url -> {
            pool.setJdbcUrl(url);
            pool.setDriverClassName(driver(settings, url));
            if (url.startsWith("jdbc:postgresql:")) {
                // Texts go where dates, identifiers and JSON are expected, too.
                pool.addDataSourceProperty("stringtype", "unspecified");
            }
        });
        settings.optionalText("dataSource").ifPresent(pool::setDataSourceJNDI);
        settings.optionalText("user").ifPresent(pool::setUsername);
        settings.optionalText("password").map(known::resolve).ifPresent(pool::setPassword);
        pool.setMaximumPoolSize(connections);
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(CONNECT_MILLIS);
        pool.setInitializationFailTimeout(-1);
        return new HikariDataSource(pool);
    }
}
