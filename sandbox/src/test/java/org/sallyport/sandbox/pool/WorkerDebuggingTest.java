package org.sallyport.sandbox.pool;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.sallyport.sandbox.DebuggingContract;
import org.sallyport.sandbox.Sandbox;

@Tag("slow")
class WorkerDebuggingTest extends DebuggingContract {
    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new DebuggableSandbox(WorkerSettings.defaults(Path.of("target", "workers")));
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
