package org.sallyport.sandbox.pool;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.sallyport.sandbox.ReplayContract;
import org.sallyport.sandbox.Sandbox;

class WorkerReplayTest extends ReplayContract {
    private static final Sandbox SANDBOX = new WorkerSandbox(WorkerSettings.defaults(Path.of("target", "workers")));

    @AfterAll
    static void close() {
        SANDBOX.close();
    }

    @Override
    protected Sandbox sandbox() {
        return SANDBOX;
    }
}
