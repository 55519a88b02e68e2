package org.sallyport.sandbox.pool;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.sallyport.sandbox.DebuggingContract;
import org.sallyport.sandbox.Sandbox;

@Tag("slow")
class WorkerDebuggingTest extends DebuggingContract {
    private static final Sandbox SANDBOX = new DebuggableSandbox(WorkerSettings.defaults(Path.of("target", "workers")));

    @AfterAll
    static void close() {
        SANDBOX.close();
    }

    @Override
    protected Sandbox sandbox() {
        return SANDBOX;
    }
}
