package org.sallyport.wiring;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;

/** Closes what was opened, last first; a failure to close one thing does not keep the others open. */
final class ShutdownSequence {
    private final Deque<CloseStep> steps = new ArrayDeque<>();
    private final Deque<CloseStep> lastSteps = new ArrayDeque<>();

    private record CloseStep(String name, AutoCloseable closeable) {}

    <T extends AutoCloseable> T register(String name, T closeable) {
        steps.push(new CloseStep(name, closeable));
        return closeable;
    }

    /** As {@link #register}, of what listeners need for as long as there are any. */
    <T extends AutoCloseable> T registerLast(String name, T closeable) {
        lastSteps.push(new CloseStep(name, closeable));
        return closeable;
    }

    void run() {
        close(steps);
    }

    /** After {@link #run}, once no listener is left. */
    void closeLast() {
        close(lastSteps);
    }

    private static void close(Deque<CloseStep> steps) {
        while (!steps.isEmpty()) {
            CloseStep step = steps.pop();
            try {
                step.closeable().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                System.getLogger(ShutdownSequence.class.getName()).log(Level.WARNING, "closing the " + step.name(), e);
            }
        }
    }
}
