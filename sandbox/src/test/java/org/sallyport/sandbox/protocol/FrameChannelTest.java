package org.sallyport.sandbox.protocol;

import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;

class FrameChannelTest extends FrameChannelContract {
    @Override
    FrameChannel create(SocketChannel channel, Executor writer) {
        return new FrameChannel(channel, writer);
    }
}
