package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.FrameChannel;

/** What scripts of one worker can use: sent to it once, then named by a number. Thread-safe. */
final class WorkerToolboxes {
    private static final int MAX_TOOLBOXES = 500;

    private final Map<Toolbox, Long> idByToolbox = new HashMap<>();

    /** The number of {@code toolbox}; tells the worker first when it does not know it. */
    synchronized long sendIfNew(FrameChannel channel, Toolbox toolbox) throws IOException {
        Long known = idByToolbox.get(toolbox);
        if (known != null) {
            return known;
        }
        long number = idByToolbox.size() + 1L;
        idByToolbox.put(toolbox, number);
        channel.enqueue(new Frame.ToolboxFrame(number, toolbox));
        return number;
    }

    /** Whether the worker holds more of them than it should. */
    synchronized boolean isFull() {
        return idByToolbox.size() >= MAX_TOOLBOXES;
    }
}
