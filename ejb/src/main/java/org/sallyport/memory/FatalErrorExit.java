package org.sallyport.memory;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Ends the process at once after an error that leaves it in an unknown state. The Java VM does so itself ({@code
 * -XX:+ExitOnOutOfMemoryError}) only for errors that it raises, and not for those that Java code raises, such as a
 * failed allocation of a direct buffer. Without the end of the process, the embedded database could go on writing from
 * objects that the error has left incomplete. The next process continues from the journal. Stateless and thread-safe.
 */
public final class FatalErrorExit {
    /** Exit code of the process, the same as that of {@code -XX:+ExitOnOutOfMemoryError}. */
    public static final int EXIT_CODE = 3;

    private static final Logger LOG = System.getLogger(FatalErrorExit.class.getName());
    private static final int MAX_DEPTH = 20;

    private FatalErrorExit() {}

    /** Returns whether the failure or one of its causes says that memory has run out. */
    public static boolean isOutOfMemory(Throwable failure) {
        int depth = 0;
        for (Throwable t = failure; t != null && depth < MAX_DEPTH; t = t.getCause(), depth++) {
            if (t instanceof OutOfMemoryError) {
                return true;
            }
        }
        return false;
    }

    /**
     * Handles an exception that ends a thread: ends the process if memory has run out, and otherwise logs the
     * exception.
     */
    public static void handleUncaught(Thread thread, Throwable failure) {
        if (isOutOfMemory(failure)) {
            exit(failure);
        }
        LOG.log(Level.ERROR, "thread " + thread.getName() + " has ended with an error", failure);
    }

    /** Ends the process without shutdown hooks, which would need memory and could write. Does not return. */
    public static void exit(Throwable failure) {
        try {
            // Not with the logger: it may wait for another thread and needs more memory.
            System.err.println("Terminating due to " + failure);
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
