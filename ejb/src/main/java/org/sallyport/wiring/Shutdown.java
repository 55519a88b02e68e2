package org.sallyport.wiring;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;

/** Closes what was opened, last first; a failure to close one thing does not keep the others open. */
final class Shutdown {
    private final Deque<Step> steps = new ArrayDeque<>();
    private final Deque<Step> last = new ArrayDeque<>();

    private record Step(String name, AutoCloseable closeable) {}

    <T extends AutoCloseable> T closing(String name, T closeable) {
        steps.push(new Step(name, closeable));
        return closeable;
    }

    /** As {@link #closing}, of what listeners need for as long as there are any. */
    <T extends AutoCloseable> T closingLast(String name, T closeable) {
        last.push(new Step(name, closeable));
        return closeable;
    }

    void run() {
        close(steps);
    }

    /** After {@link #run}, once no listener is left. */
    void end() {
        close(last);
    }

    private static void close(Deque<Step> steps) {
        while (!steps.isEmpty()) {
            Step step = steps.pop();
            try {
                step.closeable().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                System.getLogger(Shutdown.class.getName()).log(Level.WARNING, "closing the " + step.name(), e);
            }
        }
    }
}
