package org.sallyport.sandbox.guest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.sallyport.sandbox.DebuggingContract;
import org.sallyport.sandbox.Sandbox;

class InProcessDebuggingTest extends DebuggingContract {
    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new InProcessSandbox(2);
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
