package org.sallyport.sandbox.pool;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.TestModeContract;

class WorkerTestModeTest implements TestModeContract {
    private static final Sandbox SANDBOX = new WorkerSandbox(WorkerSettings.defaults(Path.of("target", "workers")));

    @AfterAll
    static void close() {
        SANDBOX.close();
    }

    @Override
    public Sandbox sandbox() {
        return SANDBOX;
    }
}
