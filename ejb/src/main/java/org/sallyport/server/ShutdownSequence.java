package org.sallyport.server;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;

/** Closes registered services in reverse order; a failure to close one does not prevent the closing of the others. */
final class ShutdownSequence {
    private final Deque<CloseStep> steps = new ArrayDeque<>();
    private final Deque<CloseStep> lastSteps = new ArrayDeque<>();

    private record CloseStep(String name, AutoCloseable closeable) {}

    <T extends AutoCloseable> T register(String name, T closeable) {
        steps.push(new CloseStep(name, closeable));
        return closeable;
    }

    /** Registers like {@link #register}, for services that listeners need until the last listener is stopped. */
    <T extends AutoCloseable> T registerLast(String name, T closeable) {
        lastSteps.push(new CloseStep(name, closeable));
        return closeable;
    }

    void run() {
        close(steps);
    }

    /** Called after {@link #run}, when no listener is left. */
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
                System.getLogger(ShutdownSequence.class.getName())
                        .log(Level.WARNING, "closing the " + step.name() + " failed", e);
            }
        }
    }
}
