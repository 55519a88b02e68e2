package org.sallyport.sandbox.guest;

import org.junit.jupiter.api.AfterAll;
import org.sallyport.sandbox.DebuggingContract;
import org.sallyport.sandbox.Sandbox;

class InProcessDebuggingTest extends DebuggingContract {
    private static final Sandbox SANDBOX = new InProcessSandbox(2);

    @AfterAll
    static void close() {
        SANDBOX.close();
    }

    @Override
    protected Sandbox sandbox() {
        return SANDBOX;
    }
}
