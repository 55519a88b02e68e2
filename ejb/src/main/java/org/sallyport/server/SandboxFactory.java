package org.sallyport.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.SandboxSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.ScriptTier;
import org.sallyport.runner.ToolboxCache;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.directcall.Tier;
import org.sallyport.sandbox.directcall.TieredSandbox;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.sandbox.pool.DebuggableSandbox;
import org.sallyport.sandbox.pool.ModeSelectingSandbox;
import org.sallyport.sandbox.pool.WorkerSettings;
import org.sallyport.sandbox.pool.WorkerSharing;
import org.sallyport.submission.TierSelector;

/** Opens the configured sandbox. */
final class SandboxFactory {
    private SandboxFactory() {}

    /** Throws {@link InvalidConfigurationException} when workers must be isolated and this machine lacks the means. */
    static Sandbox open(Configuration configuration, Path data) {
        Sandbox sandbox = create(configuration, data);
        if (configuration.get(SandboxSettings.REQUIRE_ISOLATION)) {
            refuseWithoutIsolation(sandbox, configuration.get(SandboxSettings.ALLOW_IN_PROCESS_CAPABILITIES));
        }
        return new TieredSandbox(sandbox);
    }

    /** The tier is selected at acceptance, with the tools available then. */
    static TierSelector tierSelector(ToolboxCache toolboxes) {
        return (script, grants) -> ScriptTier.valueOf(
                Tier.of(script, () -> toolboxes.forGrants(grants)).name());
    }

    private static void refuseWithoutIsolation(Sandbox sandbox, boolean allowsInProcess) {
        SandboxStatus status = sandbox.status();
        boolean apart = status.mode().equals("worker") && !allowsInProcess;
        if (apart && status.missingIsolation().isEmpty()) {
            return;
        }
        sandbox.close();
        String why = apart
                ? "this system does not provide " + String.join(", ", status.missingIsolation())
                : status.mode().equals("worker")
                        ? "capabilities may run inside the server ("
                                + SandboxSettings.ALLOW_IN_PROCESS_CAPABILITIES.name() + "=true)"
                        : "scripts run inside the server (" + SandboxSettings.MODE.name() + "=inprocess)";
        throw new InvalidConfigurationException(
                List.of(SandboxSettings.REQUIRE_ISOLATION.name() + " is set, but " + why));
    }

    /** Returns which capabilities may choose where they run. */
    static CapabilitySandboxPolicy capabilityPolicy(Configuration configuration) {
        return new CapabilitySandboxPolicy(
                configuration.get(SandboxSettings.MODE).equals("inprocess"),
                configuration.get(SandboxSettings.ALLOW_IN_PROCESS_CAPABILITIES),
                configuration.get(Settings.OPERATOR_TENANT));
    }

    private static Sandbox create(Configuration configuration, Path data) {
        int carriers = configuration.getInt(SandboxSettings.THREADS_PER_WORKER);
        if (configuration.get(SandboxSettings.MODE).equals("inprocess")) {
            return new InProcessSandbox(carriers);
        }
        Sandbox workers = createWorkers(configuration, data, carriers);
        return configuration.get(SandboxSettings.ALLOW_IN_PROCESS_CAPABILITIES)
                ? new ModeSelectingSandbox(workers, new InProcessSandbox(carriers))
                : workers;
    }

    private static Sandbox createWorkers(Configuration configuration, Path data, int carriers) {
        int workers = configuration.getInt(SandboxSettings.MAX_WORKERS);
        return new DebuggableSandbox(new WorkerSettings(
                data.resolve("worker"),
                Optional.of(configuration.get(SandboxSettings.WORKER_CLASS_DIRECTORY))
                        .filter(directory -> !directory.isEmpty())
                        .map(Path::of),
                configuration.getInt(SandboxSettings.WORKER_HEAP_MB),
                carriers,
                Math.min(configuration.getInt(SandboxSettings.MIN_IDLE_WORKERS), workers),
                workers,
                configuration.getInt(SandboxSettings.SESSIONS_PER_WORKER),
                configuration.getInt(SandboxSettings.MAX_EXECUTIONS_PER_WORKER),
                configuration.get(SandboxSettings.MAX_WORKER_AGE),
                WorkerSharing.valueOf(
                        configuration.get(SandboxSettings.WORKER_SHARING).toUpperCase(Locale.ROOT)),
                configuration.get(SandboxSettings.STOP_GRACE),
                configuration.getInt(SandboxSettings.WORKER_NICENESS),
                Optional.of(configuration.get(SandboxSettings.WORKER_STDERR_FILE))
                        .filter(file -> !file.isEmpty())
                        .map(Path::of),
                false));
    }
}
