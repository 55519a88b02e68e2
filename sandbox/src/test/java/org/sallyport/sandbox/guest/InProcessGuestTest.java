package org.sallyport.sandbox.guest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.sallyport.sandbox.GuestContract;
import org.sallyport.sandbox.Sandbox;

@Tag("slow")
class InProcessGuestTest implements GuestContract {
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
    public Sandbox sandbox() {
        return sandbox;
    }
}
