package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.FrameChannel;

/** The toolboxes of one worker: each is sent to the worker once and then referenced by its number. Thread-safe. */
final class WorkerToolboxes {
    private static final int MAX_TOOLBOXES = 500;

    private final Map<Toolbox, Long> idByToolbox = new HashMap<>();

    /** Returns the number of {@code toolbox}; sends the toolbox first if the worker does not have it. */
    synchronized long sendIfNew(FrameChannel channel, Toolbox toolbox) throws IOException {
        Long known = idByToolbox.get(toolbox);
        if (known != null) {
            return known;
        }
        long number = idByToolbox.size() + 1L;
        idByToolbox.put(toolbox, number);
        channel.offer(new Frame.ToolboxFrame(number, toolbox));
        return number;
    }

    /** Returns whether the worker holds the maximum number of toolboxes. */
    synchronized boolean isFull() {
        return idByToolbox.size() >= MAX_TOOLBOXES;
    }
}
