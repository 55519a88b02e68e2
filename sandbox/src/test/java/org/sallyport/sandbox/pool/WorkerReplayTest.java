package org.sallyport.sandbox.pool;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.sallyport.sandbox.ReplayContract;
import org.sallyport.sandbox.Sandbox;

class WorkerReplayTest extends ReplayContract {
    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new WorkerSandbox(WorkerSettings.defaults(Path.of("target", "workers")));
    }

    @AfterAll
    static void close() {
        sandbox.close();
    }

    @Override
    protected Sandbox sandbox() {
        return sandbox;
    }
}
