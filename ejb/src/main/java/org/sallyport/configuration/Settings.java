package org.sallyport.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Settings of the service itself, and the list of all settings, in the order of the documentation page. */
public final class Settings {
    private static final long MINUTE = 60_000;

    public static final Setting<Path> DATA = Setting.path(
            "sallyport.data",
            "./data",
            "Directory of all persistent data: database, broker journal, admin key, worker archive, logs.");
    public static final Setting<String> HOST = Setting.text(
            "sallyport.host",
            "127.0.0.1",
            "Address to listen on. An address other than loopback is refused unless `sallyport.tls.mode` is `tls` or "
                    + "`mtls`, or"
                    + " `sallyport.allow-remote` is true.");
    public static final Setting<Long> PORT = Setting.number("sallyport.port", 1, 65_535, 8080, "Port to listen on.");
    public static final Setting<String> ALLOW_REMOTE = Setting.choice(
            "sallyport.allow-remote",
            List.of("true", "false"),
            "false",
            "Listen on an address other than loopback although the connection is not encrypted: for a service behind"
                    + " a proxy that terminates TLS.");
    public static final Setting<String> LOG_FORMAT = Setting.choice(
            "sallyport.log.format",
            List.of("text", "json"),
            "text",
            "How the log of Payara Micro is written: `text`, or `json` for an object on each line. Read by the "
                    + "command that starts the"
                    + " service, from its variable or `SALLYPORT_JAVA_OPTS`. See docs/debugging.md.");
    public static final Setting<String> NODE_ID = Setting.text(
            "sallyport.node.id",
            "",
            "Name of this node in a cluster. Empty: made at the first start and kept in `node.id` of the data "
                    + "directory.");
    public static final Setting<Duration> NODE_LEASE = Setting.millis(
            "sallyport.node.lease-millis",
            1_000,
            10 * MINUTE,
            15_000,
            "How long other nodes wait, by the database's clock, before they take over the executions of a node that"
                    + " does not renew its lease. A node that cannot renew its lease stops them itself when two"
                    + " thirds have passed.");
    public static final Setting<List<String>> PROFILES = Setting.list(
            "sallyport.profiles", "demo", "Parts to load besides the service itself: `demo` is the demo backend.");
    public static final Setting<String> DB_URL = Setting.text(
            "sallyport.db.url",
            "",
            "JDBC URL of H2 or PostgreSQL. Empty: an H2 file in the data directory. `WRITE_DELAY=0`,"
                    + " `OPTIMIZE_REUSE_RESULTS=FALSE` and `ANALYZE_AUTO=0` are added to an H2 URL without them, and"
                    + " other values are refused: H2 would lose committed rows when the process is killed, return old"
                    + " rows, and block writes for seconds.");
    public static final Setting<String> DB_USER = Setting.text("sallyport.db.user", "sallyport", "Database user.");
    public static final Setting<String> DB_PASSWORD =
            Setting.secret("sallyport.db.password", "Password of the database user.");
    public static final Setting<Long> DB_POOL_SIZE = Setting.number(
            "sallyport.db.pool",
            2,
            500,
            16,
            "Connections to the database for executions and requests. Four more serve the lease and the sweeps of the"
                    + " node.");
    public static final Setting<Long> DB_MIN_FREE_BYTES = Setting.number(
            "sallyport.db.min-free-bytes",
            0,
            1L << 40,
            64L << 20,
            "Free bytes on the disk of an embedded H2 database that are reserved for accepted executions: with less,"
                    + " submissions are answered `503`.");
    public static final Setting<String> DB_ROW_SECURITY = Setting.choice(
            "sallyport.db.row-security",
            List.of("auto", "required", "off"),
            "auto",
            "Whether PostgreSQL row security, too, separates the rows of tenants: `auto` if the database user may,"
                    + " and a line in the log if not; `required` does not start without it. See docs/security.md. H2"
                    + " does not support it.");
    public static final Setting<String> BROKER_URL = Setting.text(
            "sallyport.broker.url",
            "",
            "URL of an external Artemis broker, such as `tcp://broker:61616`. Empty: a broker inside this process"
                    + " without a network port.");
    public static final Setting<String> BROKER_USER =
            Setting.text("sallyport.broker.user", "", "User at the external broker.");
    public static final Setting<String> BROKER_PASSWORD =
            Setting.secret("sallyport.broker.password", "Password at the external broker.");
    public static final Setting<String> BROKER_DATA = Setting.text(
            "sallyport.broker.data",
            "",
            "Directory of the embedded broker's journal. Empty: `broker` in the data directory.");
    public static final Setting<String> BROKER_ACCEPTOR = Setting.text(
            "sallyport.broker.acceptor",
            "",
            "Acceptor URL that opens the embedded broker to other processes. Empty: closed.");
    public static final Setting<String> JMS_LISTENER_ADAPTER = Setting.text(
            "sallyport.jms.listener-adapter",
            "artemis",
            "Resource adapter of listeners; inside an EAR that is deployed as `sallyport` it is `sallyport#artemis`.");
    public static final Setting<String> JMS_FACTORY_ADAPTER = Setting.text(
            "sallyport.jms.factory-adapter",
            "artemis",
            "Resource adapter of the connection factory; inside an EAR it is `#artemis`.");
    public static final Setting<Long> RUNNER_MAX_LIVE_EXECUTIONS = Setting.number(
            "sallyport.runner.max-live-executions",
            1,
            100_000,
            1_024,
            "Executions that this node holds in memory at one time.");
    public static final Setting<Duration> SHUTDOWN_GRACE = Setting.millis(
            "sallyport.shutdown.grace-millis",
            0,
            10 * MINUTE,
            3_000,
            "How long a node that is stopped lets its executions end, then their effects at tools, and then the calls "
                    + "that its connectors have of other nodes.");
    public static final Setting<Long> QUEUE_MAX_IN_BROKER = Setting.number(
            "sallyport.queue.max-in-broker",
            1,
            100_000,
            256,
            "Job messages of this node that may wait in the broker; beyond them tenants take turns, and each one's "
                    + "next job goes first.");
    public static final Setting<Map<String, Integer>> QUEUE_WEIGHTS = Setting.weights(
            "sallyport.queue.weights", 100, "Jobs of a tenant in one turn, as `acme=4`; others have one.");
    public static final Setting<String> OPERATOR_TENANT = Setting.text(
            "sallyport.tenants.operator",
            "default",
            "The tenant whose administrators and operators change what all tenants share (backends and their tools),"
                    + " and see the metrics and nodes of all.");
    public static final Setting<Duration> RUNNER_FLUSH_INTERVAL = Setting.millis(
            "sallyport.runner.flush-millis",
            10,
            5_000,
            100,
            "How long output and trace of a running execution may wait before they are stored.");
    public static final Setting<Duration> RUNNER_PARK_AFTER = Setting.millis(
            "sallyport.runner.park-after-millis",
            1_000,
            24 * 60 * MINUTE,
            30_000,
            "How long an execution must wait, for timers, events or tools, to be parked: it then waits in the "
                    + "database, without memory.");
    public static final Setting<Long> RUNNER_MAX_HEAP_PERCENT = Setting.number(
            "sallyport.runner.heap-percent",
            50,
            100,
            85,
            "How much of this process's heap may stay in use after a garbage collection; beyond it, executions that"
                    + " only wait are parked at once, and no others start. 100: no limit.");
    public static final Setting<Long> MEMORY_PERCENT = Setting.number(
            "sallyport.memory.percent",
            10,
            90,
            50,
            "How much of this process's heap work in progress may reserve: an eighth of that each for the bodies of"
                    + " requests, for long arguments of the calls of scripts and for replies of tools, a sixteenth for"
                    + " artifacts that scripts read, a thirty-second each for journal entries that are not stored yet"
                    + " and for long results of scripts, a quarter each for tool calls and for responses; at least 48,"
                    + " 64, 64, 64, 64, 32, 64 and 32 MiB.");
    public static final Setting<Duration> RUNNER_SWEEP_INTERVAL = Setting.millis(
            "sallyport.runner.sweep-millis",
            50,
            MINUTE,
            500,
            "Time between two sweeps for lost jobs and orphaned executions.");
    public static final Setting<Duration> RUNNER_RESEND_AFTER = Setting.millis(
            "sallyport.runner.resend-millis",
            100,
            60 * MINUTE,
            5_000,
            "How long an accepted execution waits before its job message counts as lost and is sent again.");
    public static final Setting<Long> MAX_ATTEMPTS = Setting.number(
            "sallyport.execution.max-attempts",
            1,
            100,
            3,
            "Attempts of one execution that may be lost with their nodes while nothing else ran there, before it fails "
                    + "with `runner-lost`.");
    public static final Setting<Long> CRASH_LOOP_STARTS = Setting.number(
            "sallyport.runner.crash-loop-starts",
            1,
            1_000_000,
            2,
            "Starts of a node in a row that followed no clean stop, at which it runs one execution at a time for 30 "
                    + "seconds and then doubles their number every 30 seconds. Ten minutes of running end the row.");
    /** In days, so that it is never shorter than the retention of idempotency keys that clients are promised. */
    public static final Setting<Long> FINISHED_RETENTION_DAYS = Setting.number(
            "sallyport.retention.finished-days",
            0,
            3_650,
            30,
            "Days for which an execution is kept after its end, with its trace, output, artifacts and idempotency "
                    + "key; then it"
                    + " is deleted. One that a re-run repeats is kept until that has ended too. 0: for ever.");

    public static final Setting<Long> AUDIT_RETENTION_DAYS = Setting.number(
            "sallyport.retention.audit-days",
            0,
            36_500,
            365,
            "Days for which an entry of the audit log is kept; then it is deleted. 0: for ever.");

    public static final Setting<Duration> EVENT_RETENTION = Setting.millis(
            "sallyport.events.retention-millis",
            MINUTE,
            30L * 24 * 60 * MINUTE,
            24L * 60 * MINUTE,
            "How long an event is kept: for scripts that wait for it and subscribers that read it again. Its"
                    + " idempotency key or delivery id is valid for the same time.");
    public static final Setting<String> MODULE_REGISTRY_FILE = Setting.text(
            "sallyport.modules.registry",
            "",
            "File that lists the library modules scripts may import: a JSON list of `name`, `version`, `file`, "
                    + "`sha256`.");

    public static final Setting<String> BACKENDS_FILE = Setting.text(
            "sallyport.backends.file",
            "",
            "File that configures backends, as YAML or as the `mcpServers` JSON of desktop clients. Empty: "
                    + "`sallyport.yaml` in"
                    + " the data directory, if it is there.");

    public static final Setting<String> EXTENSIONS_DIRECTORY = Setting.text(
            "sallyport.extensions.directory",
            "",
            "Directory of jars with beans that are backends; see docs/connector-java.md. The service runs their code as"
                    + " its own. Empty: `lib/ext` in the data directory, if it is there.");

    private static final List<Setting<?>> BEFORE = List.of(
            DATA,
            HOST,
            PORT,
            ALLOW_REMOTE,
            LOG_FORMAT,
            NODE_ID,
            NODE_LEASE,
            PROFILES,
            DB_URL,
            DB_USER,
            DB_PASSWORD,
            DB_POOL_SIZE,
            DB_MIN_FREE_BYTES,
            DB_ROW_SECURITY,
            BROKER_URL,
            BROKER_USER,
            BROKER_PASSWORD,
            BROKER_DATA,
            BROKER_ACCEPTOR,
            JMS_LISTENER_ADAPTER,
            JMS_FACTORY_ADAPTER,
            RUNNER_MAX_LIVE_EXECUTIONS,
            SHUTDOWN_GRACE,
            QUEUE_MAX_IN_BROKER,
            QUEUE_WEIGHTS,
            OPERATOR_TENANT,
            RUNNER_FLUSH_INTERVAL,
            RUNNER_PARK_AFTER,
            RUNNER_MAX_HEAP_PERCENT,
            MEMORY_PERCENT,
            RUNNER_SWEEP_INTERVAL,
            RUNNER_RESEND_AFTER,
            MAX_ATTEMPTS,
            CRASH_LOOP_STARTS);

    public static final Setting<Boolean> ALLOW_SELF_APPROVAL = Setting.flag(
            "sallyport.approvals.allow-self-approval",
            false,
            "Whether the submitter of an execution may approve its requests.");

    private static final List<Setting<?>> AFTER = List.of(
            ALLOW_SELF_APPROVAL,
            FINISHED_RETENTION_DAYS,
            AUDIT_RETENTION_DAYS,
            EVENT_RETENTION,
            MODULE_REGISTRY_FILE,
            BACKENDS_FILE,
            EXTENSIONS_DIRECTORY);

    private static final List<Setting<?>> ALL = Stream.of(
                    BEFORE,
                    BackupSettings.ALL,
                    SandboxSettings.ALL,
                    LimitSettings.ALL,
                    QuotaSettings.ALL,
                    BatchSettings.ALL,
                    ScheduleSettings.ALL,
                    ToolGraphSettings.ALL,
                    CallbackSettings.ALL,
                    TelemetrySettings.ALL,
                    McpSettings.ALL,
                    SecretSettings.ALL,
                    JwtSettings.ALL,
                    TlsSettings.ALL,
                    OidcSettings.ALL,
                    ConnectorSettings.ALL,
                    EventSettings.ALL,
                    WebhookSettings.ALL,
                    AFTER)
            .<Setting<?>>flatMap(List::stream)
            .toList();

    private Settings() {}

    /** Returns the value of a setting by name, as text. Empty when the setting has no value. */
    public static Optional<String> text(Configuration configuration, String name) {
        for (Setting<?> setting : ALL) {
            if (setting.name().equals(name)) {
                Object value = configuration.get(setting);
                return Optional.of(value instanceof Duration time ? "" + time.toMillis() : value.toString())
                        .map(String::strip)
                        .filter(text -> !text.isEmpty());
            }
        }
        throw new IllegalArgumentException("there is no such setting: " + name);
    }

    /** Returns all settings. */
    public static List<Setting<?>> all() {
        return ALL;
    }
}
