package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;

class GuestBridgeTest {
    private final AtomicInteger stackOverflows = new AtomicInteger();
    private final GuestBridge bridge = new GuestBridge(stackOverflows::incrementAndGet);

    @Test
    void stackOverflowInARequestIsReported() {
        bridge.attach((what, with) -> {
            throw new StackOverflowError();
        });
        assertThat(bridge.execute(Value.asValue("now"))).isEqualTo(false);
        assertThat(stackOverflows).hasValue(1);
    }

    @Test
    void failedRequestIsNoStackOverflow() {
        bridge.attach((what, with) -> {
            throw new IllegalStateException("failed");
        });
        assertThat(bridge.execute(Value.asValue("now"))).isEqualTo(false);
        assertThat(stackOverflows).hasValue(0);
    }
}
