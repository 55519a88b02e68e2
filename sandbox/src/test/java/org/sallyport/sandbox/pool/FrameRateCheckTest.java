package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.protocol.ProtocolException;

class FrameRateCheckTest {
    private static final long START = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5);

    @Test
    void framesBeyondTheLimitInTenSecondsAreRefused() throws Exception {
        FrameRateCheck check = new FrameRateCheck(3, START);
        for (int i = 0; i < 3; i++) {
            check.count(START + TimeUnit.SECONDS.toNanos(i));
        }
        assertThatThrownBy(() -> check.count(START + TimeUnit.SECONDS.toNanos(10)))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void framesAtAnAllowedRateAreAccepted() throws Exception {
        FrameRateCheck check = new FrameRateCheck(3, START);
        for (int i = 0; i < 100; i++) {
            check.count(START + TimeUnit.SECONDS.toNanos(i * 4L));
        }
    }
}
