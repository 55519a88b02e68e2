package org.sallyport.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** All settings. The order is that of the documentation page. */
public final class Settings {
    private static final long MINUTE = 60_000;

    public static final Setting<Path> DATA = Setting.path(
            "sallyport.data",
            "./data",
            "Directory of everything that lasts: database, broker journal, admin key, worker archive, logs.");
    public static final Setting<String> HOST = Setting.text(
            "sallyport.host",
            "127.0.0.1",
            "Address to listen on. An address other than loopback is refused unless `sallyport.allow-remote` is true.");
    public static final Setting<Long> PORT = Setting.number("sallyport.port", 1, 65_535, 8080, "Port to listen on.");
    public static final Setting<String> ALLOW_REMOTE = Setting.choice(
            "sallyport.allow-remote",
            List.of("true", "false"),
            "false",
            "Listen on an address other than loopback although the connection is not encrypted: for a start behind a"
                    + " proxy that ends TLS.");
    public static final Setting<String> NODE_ID = Setting.text(
            "sallyport.node.id",
            "",
            "Name of this node in a cluster. Empty: made at the first start and kept in `node.id` of the data directory.");
    public static final Setting<List<String>> PROFILES = Setting.list(
            "sallyport.profiles", "demo", "What to load besides the service itself: `demo` brings the demo backend.");

    public static final Setting<String> DB_URL = Setting.text(
            "sallyport.db.url",
            "",
            "JDBC URL of H2 or PostgreSQL. Empty: an H2 file in the data directory. `WRITE_DELAY=0` is added to an H2 URL"
                    + " without it, because H2 loses committed rows otherwise when the process is killed.");
    public static final Setting<String> DB_USER = Setting.text("sallyport.db.user", "sallyport", "Database user.");
    public static final Setting<String> DB_PASSWORD =
            Setting.secret("sallyport.db.password", "Password of the database user.");
    public static final Setting<Long> DB_POOL =
            Setting.number("sallyport.db.pool", 2, 500, 16, "Connections to the database.");

    public static final Setting<String> BROKER_URL = Setting.text(
            "sallyport.broker.url",
            "",
            "URL of an external Artemis broker, such as `tcp://broker:61616`. Empty: a broker inside this process that no"
                    + " port leads to.");
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

    public static final Setting<Long> RUNNER_LIVE = Setting.number(
            "sallyport.runner.live", 1, 100_000, 1_024, "Executions that this node holds in memory at one time.");
    public static final Setting<Duration> RUNNER_FLUSH = Setting.millis(
            "sallyport.runner.flush-millis",
            10,
            5_000,
            100,
            "How long output and trace of a running execution may wait before they are stored.");
    public static final Setting<Duration> RUNNER_SWEEP = Setting.millis(
            "sallyport.runner.sweep-millis",
            50,
            MINUTE,
            500,
            "Time between two looks for lost jobs and forgotten executions.");
    public static final Setting<Duration> RUNNER_RESEND = Setting.millis(
            "sallyport.runner.resend-millis",
            100,
            60 * MINUTE,
            5_000,
            "How long an accepted execution waits before its job message counts as lost and is sent again.");

    public static final Setting<String> SANDBOX_MODE = Setting.choice(
            "sallyport.sandbox.mode",
            List.of("worker", "inprocess"),
            "worker",
            "Where scripts run: in worker processes, or in the server's own process (trusted authors and debugging only: a"
                    + " hostile script can then stop the service).");
    public static final Setting<String> SANDBOX_SHARE = Setting.choice(
            "sallyport.sandbox.share",
            List.of("tenant", "none", "all"),
            "tenant",
            "Who may share a worker process: executions of one tenant, nobody (a fresh worker for each execution), or all.");
    public static final Setting<Long> SANDBOX_WORKERS =
            Setting.number("sallyport.sandbox.workers", 1, 1_000, 4, "Worker processes at most.");
    public static final Setting<Long> SANDBOX_WARM = Setting.number(
            "sallyport.sandbox.warm", 0, 100, 1, "Started worker processes kept ready without a tenant.");
    public static final Setting<Long> SANDBOX_HEAP_MB =
            Setting.number("sallyport.sandbox.worker-heap-mb", 64, 65_536, 256, "Heap of one worker process, in MiB.");
    public static final Setting<Long> SANDBOX_SESSIONS = Setting.number(
            "sallyport.sandbox.sessions-per-worker", 1, 10_000, 256, "Executions that one worker holds at one time.");
    public static final Setting<Long> SANDBOX_RECYCLE = Setting.number(
            "sallyport.sandbox.recycle-after", 1, 10_000_000, 20_000, "Executions after which a worker is replaced.");

    public static final Setting<Long> SANDBOX_CARRIERS =
            Setting.number("sallyport.sandbox.carriers", 1, 256, 2, "Threads of one worker on which scripts compute.");
    public static final Setting<Duration> SANDBOX_RECYCLE_AGE = Setting.millis(
            "sallyport.sandbox.recycle-millis",
            1_000,
            24 * 60 * MINUTE,
            30 * MINUTE,
            "Age at which a worker is replaced.");
    public static final Setting<Duration> SANDBOX_STOP_GRACE = Setting.millis(
            "sallyport.sandbox.stop-grace-millis",
            0,
            1_200,
            500,
            "How long a script may take to obey a cancel before its worker is killed.");
    public static final Setting<String> SANDBOX_WORKER_ERRORS = Setting.text(
            "sallyport.sandbox.worker-errors",
            "",
            "File that takes what worker processes write to their standard error, to look for a reason why they fail. Empty:"
                    + " it is dropped, since scripts may bring a worker to write much.");

    public static final Setting<Boolean> SANDBOX_REQUIRE_ISOLATION = Setting.flag(
            "sallyport.sandbox.require-os-isolation",
            false,
            "Whether the service refuses to start where the operating system does not keep workers apart by all of:"
                    + " no-network, own-user, own-processes, own-ipc, no-new-privileges, resource-limits, own-files. Without"
                    + " it, what is missing is logged and shown by /health/ready.");

    public static final Setting<Duration> LIMIT_WALL = Setting.millis(
            "sallyport.limits.wall-millis",
            1,
            24 * 60 * MINUTE,
            5 * MINUTE,
            "Wall-clock limit of an execution that asks for none.");
    public static final Setting<Duration> LIMIT_WALL_MAX = Setting.millis(
            "sallyport.limits.max-wall-millis",
            1,
            24 * 60 * MINUTE,
            60 * MINUTE,
            "Largest wall-clock limit that may be asked for.");
    public static final Setting<Duration> LIMIT_CPU = Setting.millis(
            "sallyport.limits.cpu-millis",
            1,
            60 * MINUTE,
            30_000,
            "Computing-time limit of an execution that asks for none.");
    public static final Setting<Duration> LIMIT_CPU_MAX = Setting.millis(
            "sallyport.limits.max-cpu-millis",
            1,
            60 * MINUTE,
            5 * MINUTE,
            "Largest computing-time limit that may be asked for.");
    public static final Setting<Long> LIMIT_HEAP = Setting.number(
            "sallyport.limits.heap-bytes",
            1 << 20,
            1L << 40,
            64L << 20,
            "Memory limit of an execution that asks for none.");
    public static final Setting<Long> LIMIT_HEAP_MAX = Setting.number(
            "sallyport.limits.max-heap-bytes",
            1 << 20,
            1L << 40,
            128L << 20,
            "Largest memory limit that may be asked for.");
    public static final Setting<Long> LIMIT_CALLS = Setting.number(
            "sallyport.limits.tool-calls", 0, 1_000_000, 1_000, "Tool calls of an execution that asks for no limit.");
    public static final Setting<Long> LIMIT_CALLS_MAX = Setting.number(
            "sallyport.limits.max-tool-calls",
            0,
            1_000_000,
            10_000,
            "Largest number of tool calls that may be asked for.");
    public static final Setting<Long> LIMIT_CONCURRENT_CALLS = Setting.number(
            "sallyport.limits.concurrent-calls",
            1,
            10_000,
            32,
            "Tool calls of one execution that may be open at one time.");
    public static final Setting<Long> LIMIT_OUTPUT = Setting.number(
            "sallyport.limits.output-chars",
            0,
            10_000_000,
            200_000,
            "Characters kept of each output stream of an execution that asks for no limit.");
    public static final Setting<Long> LIMIT_OUTPUT_MAX = Setting.number(
            "sallyport.limits.max-output-chars", 0, 10_000_000, 200_000, "Largest output limit that may be asked for.");
    public static final Setting<Long> LIMIT_BODY = Setting.number(
            "sallyport.limits.body-bytes", 1_024, 1L << 30, 4L << 20, "Largest body of a request, in bytes.");
    public static final Setting<Long> LIMIT_SOURCE = Setting.number(
            "sallyport.limits.source-bytes", 1, 1 << 20, 256 << 10, "Largest script, in bytes of UTF-8.");
    public static final Setting<Long> LIMIT_ARGS = Setting.number(
            "sallyport.limits.args-bytes",
            1,
            16 << 20,
            1 << 20,
            "Largest `args` or `context` of a submission, in bytes.");
    public static final Setting<Long> LIMIT_RESULT = Setting.number(
            "sallyport.limits.result-chars",
            1,
            16 << 20,
            1 << 20,
            "Largest result of a script, in characters of JSON.");
    public static final Setting<Long> LIMIT_CALL_ARGS = Setting.number(
            "sallyport.limits.call-argument-chars",
            1,
            16 << 20,
            256 << 10,
            "Largest arguments of one tool call, in characters of JSON.");
    public static final Setting<Long> LIMIT_CALL_RESULT = Setting.number(
            "sallyport.limits.call-result-chars",
            1,
            16 << 20,
            1 << 20,
            "Largest result of one tool call, in characters of JSON.");
    public static final Setting<Duration> LIMIT_CALL =
            Setting.millis("sallyport.limits.call-millis", 1, 60 * MINUTE, 30_000, "How long one tool call may take.");
    public static final Setting<Long> LIMIT_TIMERS = Setting.number(
            "sallyport.limits.timers", 1, 100_000, 1_000, "Timers of one execution that may be pending at one time.");
    public static final Setting<Long> LIMIT_ARTIFACTS =
            Setting.number("sallyport.limits.artifacts", 0, 10_000, 100, "Artifacts that one execution may write.");
    public static final Setting<Long> LIMIT_ARTIFACT_BYTES =
            Setting.number("sallyport.limits.artifact-bytes", 1, 10_000_000, 10_000_000, "Largest artifact, in bytes.");
    public static final Setting<Long> LIMIT_EVENTS =
            Setting.number("sallyport.limits.events", 0, 100_000, 1_000, "Events that one execution may emit.");
    public static final Setting<Boolean> SANDBOX_DEBUG = Setting.flag(
            "sallyport.sandbox.debug",
            false,
            "Whether operators may submit scripts with `debug`: a debugger can do in a script's context whatever it likes.");
    public static final Setting<Duration> EVENTS_KEPT = Setting.millis(
            "sallyport.events.kept-millis",
            MINUTE,
            30L * 24 * 60 * MINUTE,
            24L * 60 * MINUTE,
            "How long an event is kept for scripts that wait for it.");
    public static final Setting<String> MODULES = Setting.text(
            "sallyport.modules.registry",
            "",
            "File that lists the library modules scripts may import: a JSON list of `name`, `version`, `file`, `sha256`.");
    public static final Setting<Duration> LIMIT_WAIT = Setting.millis(
            "sallyport.limits.wait-millis",
            0,
            10 * MINUTE,
            MINUTE,
            "How long one request may wait for an execution; a request for more is refused.");

    private static final List<Setting<?>> ALL = List.of(
            DATA,
            HOST,
            PORT,
            ALLOW_REMOTE,
            NODE_ID,
            PROFILES,
            DB_URL,
            DB_USER,
            DB_PASSWORD,
            DB_POOL,
            BROKER_URL,
            BROKER_USER,
            BROKER_PASSWORD,
            BROKER_DATA,
            BROKER_ACCEPTOR,
            JMS_LISTENER_ADAPTER,
            JMS_FACTORY_ADAPTER,
            RUNNER_LIVE,
            RUNNER_FLUSH,
            RUNNER_SWEEP,
            RUNNER_RESEND,
            SANDBOX_MODE,
            SANDBOX_SHARE,
            SANDBOX_WORKERS,
            SANDBOX_WARM,
            SANDBOX_HEAP_MB,
            SANDBOX_SESSIONS,
            SANDBOX_RECYCLE,
            SANDBOX_CARRIERS,
            SANDBOX_RECYCLE_AGE,
            SANDBOX_STOP_GRACE,
            SANDBOX_WORKER_ERRORS,
            SANDBOX_REQUIRE_ISOLATION,
            LIMIT_WALL,
            LIMIT_WALL_MAX,
            LIMIT_CPU,
            LIMIT_CPU_MAX,
            LIMIT_HEAP,
            LIMIT_HEAP_MAX,
            LIMIT_CALLS,
            LIMIT_CALLS_MAX,
            LIMIT_CONCURRENT_CALLS,
            LIMIT_OUTPUT,
            LIMIT_OUTPUT_MAX,
            LIMIT_BODY,
            LIMIT_SOURCE,
            LIMIT_ARGS,
            LIMIT_RESULT,
            LIMIT_CALL_ARGS,
            LIMIT_CALL_RESULT,
            LIMIT_CALL,
            LIMIT_TIMERS,
            LIMIT_ARTIFACTS,
            LIMIT_ARTIFACT_BYTES,
            LIMIT_EVENTS,
            SANDBOX_DEBUG,
            EVENTS_KEPT,
            MODULES,
            LIMIT_WAIT);

    private Settings() {}

    /** All settings. */
    public static List<Setting<?>> all() {
        return ALL;
    }
}
