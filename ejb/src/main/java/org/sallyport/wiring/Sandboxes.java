package org.sallyport.wiring;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.catalog.Catalog;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.ScriptTier;
import org.sallyport.policy.Grants;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.guest.InProcessSandbox;
import org.sallyport.sandbox.pool.Share;
import org.sallyport.sandbox.pool.WorkerSandbox;
import org.sallyport.sandbox.pool.WorkerSettings;
import org.sallyport.sandbox.tier.Tier;
import org.sallyport.sandbox.tier.TieredSandbox;
import org.sallyport.submission.Tiers;

/** Opens the configured sandbox. */
final class Sandboxes {
    private Sandboxes() {}

    static Sandbox open(Configuration configuration, Path data) {
        return new TieredSandbox(engine(configuration, data));
    }

    /** The way a script is run is decided with the tools that there are when it is accepted. */
    static Tiers tiers(Catalog catalog) {
        return (script, globs) -> {
            Grants grants = new Grants(globs);
            Tier tier = Tier.of(
                    script,
                    () -> catalog.all().stream()
                            .map(tool -> tool.spec().name())
                            .filter(grants::allows)
                            .map(name -> new GuestTool(name.backend(), name.tool()))
                            .toList());
            return ScriptTier.valueOf(tier.name());
        };
    }

    private static Sandbox engine(Configuration configuration, Path data) {
        int carriers = configuration.integer(Settings.SANDBOX_CARRIERS);
        if (configuration.get(Settings.SANDBOX_MODE).equals("inprocess")) {
            return new InProcessSandbox(carriers);
        }
        int workers = configuration.integer(Settings.SANDBOX_WORKERS);
        return new WorkerSandbox(new WorkerSettings(
                data.resolve("worker"),
                configuration.integer(Settings.SANDBOX_HEAP_MB),
                carriers,
                Math.min(configuration.integer(Settings.SANDBOX_WARM), workers),
                workers,
                configuration.integer(Settings.SANDBOX_SESSIONS),
                configuration.integer(Settings.SANDBOX_RECYCLE),
                configuration.get(Settings.SANDBOX_RECYCLE_AGE),
                Share.valueOf(configuration.get(Settings.SANDBOX_SHARE).toUpperCase(Locale.ROOT)),
                configuration.get(Settings.SANDBOX_STOP_GRACE),
                Optional.of(configuration.get(Settings.SANDBOX_WORKER_ERRORS))
                        .filter(file -> !file.isEmpty())
                        .map(Path::of)));
    }
}
