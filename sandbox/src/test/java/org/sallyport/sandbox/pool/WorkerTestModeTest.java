package org.sallyport.sandbox.pool;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.TestModeContract;

class WorkerTestModeTest implements TestModeContract {
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
    public Sandbox sandbox() {
        return sandbox;
    }
}
