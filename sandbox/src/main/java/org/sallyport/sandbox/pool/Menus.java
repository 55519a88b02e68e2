package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.protocol.Frame;
import org.sallyport.sandbox.protocol.FrameChannel;

/** What scripts of one worker can use: sent to it once, then named by a number. Thread-safe. */
final class Menus {
    private static final int MAX = 500;

    private final Map<Toolbox, Long> numbers = new HashMap<>();

    /** The number of {@code toolbox}; tells the worker first when it does not know it. */
    synchronized long number(FrameChannel channel, Toolbox toolbox) throws IOException {
        Long known = numbers.get(toolbox);
        if (known != null) {
            return known;
        }
        long number = numbers.size() + 1L;
        numbers.put(toolbox, number);
        channel.put(new Frame.Menu(number, toolbox));
        return number;
    }

    /** Whether the worker holds more of them than it should. */
    synchronized boolean full() {
        return numbers.size() >= MAX;
    }
}
