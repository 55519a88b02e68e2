package org.sallyport.sandbox.guest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.sallyport.sandbox.GuestContract;
import org.sallyport.sandbox.Sandbox;

@Tag("slow")
class InProcessGuestTest implements GuestContract {
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
