package org.sallyport.sandbox.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class NonBlockingFrameChannelTest extends FrameChannelContract {
    @Override
    FrameChannel create(SocketChannel channel, Executor writer) throws IOException {
        return FrameChannel.nonBlocking(channel);
    }

    @Test
    void shortFrameIsWrittenByTheThreadThatOffersIt() throws Exception {
        near.offer(frame(1));
        assertThat(far.receive()).isEqualTo(frame(1));
        assertThat(near.writeBlockedSince()).isZero();
    }

    @Test
    @Timeout(120)
    void failedWriteOfAnotherThreadEndsTheWriter() throws Exception {
        Thread thread = startWriter();
        far.close();
        assertThatThrownBy(() -> near.offer(frame(1))).isInstanceOf(IOException.class);
        thread.join();
        near.offer(frame(2));
    }

    @Test
    void interruptedThreadThatOffersDoesNotCloseTheChannel() throws Exception {
        Thread.currentThread().interrupt();
        near.offer(frame(1));
        assertThat(Thread.interrupted()).isTrue();
        near.offer(frame(2));
        assertThat(far.receive()).isEqualTo(frame(1));
        assertThat(far.receive()).isEqualTo(frame(2));
    }
}
