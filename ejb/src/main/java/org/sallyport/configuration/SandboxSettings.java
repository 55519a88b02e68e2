package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** Settings of the sandbox: where and how scripts run. */
public final class SandboxSettings {
    private static final long MINUTE = 60_000;

    public static final Setting<String> MODE = Setting.choice(
            "sallyport.sandbox.mode",
            List.of("worker", "inprocess"),
            "worker",
            "Where scripts run: in worker processes, or in the server's own process (trusted authors and debugging "
                    + "only: a"
                    + " hostile script can then stop the service).");
    public static final Setting<String> WORKER_SHARING = Setting.choice(
            "sallyport.sandbox.worker-sharing",
            List.of("tenant", "none", "all"),
            "tenant",
            "Executions that may share a worker process: those of one tenant, none (each gets a new worker), or all.");
    public static final Setting<Long> MAX_WORKERS =
            Setting.number("sallyport.sandbox.max-workers", 1, 1_000, 4, "Worker processes at most.");
    public static final Setting<Long> MIN_IDLE_WORKERS = Setting.number(
            "sallyport.sandbox.min-idle-workers", 0, 100, 1, "Started worker processes kept ready without a tenant.");
    public static final Setting<Long> WORKER_HEAP_MB =
            Setting.number("sallyport.sandbox.worker-heap-mb", 64, 65_536, 256, "Heap of one worker process, in MiB.");
    public static final Setting<Long> SESSIONS_PER_WORKER = Setting.number(
            "sallyport.sandbox.max-sessions-per-worker",
            1,
            10_000,
            256,
            "Executions that one worker holds at one time.");
    public static final Setting<Long> MAX_EXECUTIONS_PER_WORKER = Setting.number(
            "sallyport.sandbox.max-executions-per-worker",
            1,
            10_000_000,
            20_000,
            "Executions after which a worker is replaced.");
    public static final Setting<Long> THREADS_PER_WORKER = Setting.number(
            "sallyport.sandbox.threads-per-worker", 1, 256, 2, "Threads of one worker on which scripts compute.");
    public static final Setting<Long> WORKER_NICENESS = Setting.number(
            "sallyport.sandbox.worker-niceness",
            0,
            19,
            3,
            "How much lower the CPU priority of workers is than that of the server, as with the program nice. With 0,"
                    + " scripts that compute slow down the service for all tenants. With 10, scripts take several"
                    + " times as long where other programs use all of the CPU.");
    public static final Setting<Duration> MAX_WORKER_AGE = Setting.millis(
            "sallyport.sandbox.max-worker-age-millis",
            1_000,
            24 * 60 * MINUTE,
            30 * MINUTE,
            "Age at which a worker is replaced.");
    public static final Setting<Duration> STOP_GRACE = Setting.millis(
            "sallyport.sandbox.stop-grace-millis",
            0,
            1_200,
            500,
            "How long a script that computes may take to obey a cancel before its worker is killed. A script that"
                    + " waits may take 1.5 seconds.");
    public static final Setting<String> WORKER_STDERR_FILE = Setting.text(
            "sallyport.sandbox.worker-errors",
            "",
            "File for the standard error of worker processes, to find out why they fail. Empty: it is discarded,"
                    + " since scripts can make a worker write much.");
    public static final Setting<String> WORKER_CLASS_DIRECTORY = Setting.text(
            "sallyport.sandbox.prepared",
            "",
            "Directory with the class files of workers that the build has prepared. Used if they are of this build "
                    + "and this"
                    + " Java VM; otherwise the first start prepares its own in the data directory. `sallyport up` "
                    + "sets it.");
    public static final Setting<Boolean> REQUIRE_ISOLATION = Setting.flag(
            "sallyport.sandbox.require-os-isolation",
            false,
            "Whether the service refuses to start where the operating system does not isolate workers by all of:"
                    + " no-network, own-user, own-processes, own-session, own-ipc, no-new-privileges, resource-limits,"
                    + " own-files. Without it, what is missing is logged and shown by /health/ready.");
    public static final Setting<Boolean> DEBUG = Setting.flag(
            "sallyport.sandbox.debug",
            false,
            "Whether operators may submit scripts with `debug`: a debugger can do anything in a script's context.");

    public static final Setting<Boolean> ALLOW_IN_PROCESS_CAPABILITIES = Setting.flag(
            "sallyport.sandbox.allow-in-process-capabilities",
            false,
            "Whether an admin of the tenant of `sallyport.tenants.operator` may publish capabilities with `sandbox`"
                    + " `in-process`, which run in the server's own process while other scripts run in workers: such a"
                    + " script can stop the service for all tenants.");

    static final List<Setting<?>> ALL = List.of(
            MODE,
            WORKER_SHARING,
            MAX_WORKERS,
            MIN_IDLE_WORKERS,
            WORKER_HEAP_MB,
            SESSIONS_PER_WORKER,
            MAX_EXECUTIONS_PER_WORKER,
            THREADS_PER_WORKER,
            WORKER_NICENESS,
            MAX_WORKER_AGE,
            STOP_GRACE,
            WORKER_STDERR_FILE,
            WORKER_CLASS_DIRECTORY,
            REQUIRE_ISOLATION,
            DEBUG,
            ALLOW_IN_PROCESS_CAPABILITIES);

    private SandboxSettings() {}
}
