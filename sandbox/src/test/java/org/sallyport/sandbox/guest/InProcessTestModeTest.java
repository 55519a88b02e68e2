package org.sallyport.sandbox.guest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.TestModeContract;

@Tag("slow")
class InProcessTestModeTest implements TestModeContract {
    private static final Sandbox SANDBOX = new InProcessSandbox(2);

    @AfterAll
    static void close() {
        SANDBOX.close();
    }

    @Override
    public Sandbox sandbox() {
        return SANDBOX;
    }
}
