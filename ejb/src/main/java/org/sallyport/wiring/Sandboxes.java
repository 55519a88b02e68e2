package org.sallyport.wiring;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.InvalidConfigurationException;
import org.sallyport.configuration.SandboxSettings;
import org.sallyport.execution.ScriptTier;
import org.sallyport.runner.Toolboxes;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.sandbox.pool.DebuggableSandbox;
import org.sallyport.sandbox.pool.Share;
import org.sallyport.sandbox.pool.WorkerSettings;
import org.sallyport.sandbox.tier.Tier;
import org.sallyport.sandbox.tier.TieredSandbox;
import org.sallyport.submission.Tiers;

/** Opens the configured sandbox. */
final class Sandboxes {
    private Sandboxes() {}

    /** Throws {@link InvalidConfigurationException} when workers must be kept apart by means that are not here. */
    static Sandbox open(Configuration configuration, Path data) {
        Sandbox sandbox = configured(configuration, data);
        if (configuration.get(SandboxSettings.REQUIRE_ISOLATION)) {
            refuseWithoutIsolation(sandbox);
        }
        return new TieredSandbox(sandbox);
    }

    /** The way a script is run is decided with the tools that there are when it is accepted. */
    static Tiers tiers(Toolboxes toolboxes) {
        return (script, grants) ->
                ScriptTier.valueOf(Tier.of(script, () -> toolboxes.of(grants)).name());
    }

    private static void refuseWithoutIsolation(Sandbox sandbox) {
        SandboxStatus status = sandbox.status();
        boolean apart = status.mode().equals("worker");
        if (apart && status.missingIsolation().isEmpty()) {
            return;
        }
        sandbox.close();
        String why = apart
                ? "this system does not give " + String.join(", ", status.missingIsolation())
                : "scripts run inside the server (" + SandboxSettings.MODE.name() + "=inprocess)";
        throw new InvalidConfigurationException(
                List.of(SandboxSettings.REQUIRE_ISOLATION.name() + " is set, but " + why));
    }

    private static Sandbox configured(Configuration configuration, Path data) {
        int carriers = configuration.integer(SandboxSettings.CARRIERS);
        if (configuration.get(SandboxSettings.MODE).equals("inprocess")) {
            return new InProcessSandbox(carriers);
        }
        int workers = configuration.integer(SandboxSettings.WORKERS);
        return new DebuggableSandbox(new WorkerSettings(
                data.resolve("worker"),
                Optional.of(configuration.get(SandboxSettings.PREPARED))
                        .filter(directory -> !directory.isEmpty())
                        .map(Path::of),
                configuration.integer(SandboxSettings.HEAP_MB),
                carriers,
                Math.min(configuration.integer(SandboxSettings.WARM), workers),
                workers,
                configuration.integer(SandboxSettings.SESSIONS),
                configuration.integer(SandboxSettings.RECYCLE),
                configuration.get(SandboxSettings.RECYCLE_AGE),
                Share.valueOf(configuration.get(SandboxSettings.SHARE).toUpperCase(Locale.ROOT)),
                configuration.get(SandboxSettings.STOP_GRACE),
                Optional.of(configuration.get(SandboxSettings.WORKER_ERRORS))
                        .filter(file -> !file.isEmpty())
                        .map(Path::of),
                false));
    }
}
