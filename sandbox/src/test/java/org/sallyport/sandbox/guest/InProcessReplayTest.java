package org.sallyport.sandbox.guest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.sallyport.sandbox.ReplayContract;
import org.sallyport.sandbox.Sandbox;

@Tag("slow")
class InProcessReplayTest extends ReplayContract {
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
