package org.sallyport.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.stream.Stream;

/**
 * Owns everything that a run creates: the files below one temporary directory, and the registered resources.
 * {@link #close} closes the resources and deletes the files. A shutdown hook does the same if this process exits
 * earlier, also after a signal. Thread-safe.
 */
final class BenchmarkWorkspace implements AutoCloseable {
    private static final int ATTEMPTS = 5;
    private static final long RETRY_MILLIS = 200;

    private final Path root;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final Thread hook = new Thread(this::closeAtExit, "end-of-bench");
    private volatile boolean closed;

    BenchmarkWorkspace() throws IOException {
        root = Files.createTempDirectory("sallyport-bench-");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Creates a new empty directory in the workspace. */
    Path createDirectory(String name) throws IOException {
        return Files.createDirectory(root.resolve(name));
    }

    /**
     * Registers a resource. The workspace closes resources in the reverse order of their registration. If the workspace
     * is already closed, this method closes the resource and throws {@link IllegalStateException}.
     */
    synchronized <T extends AutoCloseable> T register(T thing) throws Exception {
        if (closed) {
            thing.close();
            throw new IllegalStateException("the benchmark is stopping");
        }
        resources.addFirst(thing);
        return thing;
    }

    /** Returns whether closing has begun. */
    boolean isClosed() {
        return closed;
    }

    /** Waits for a close that is running on another thread. */
    @Override
    public void close() throws Exception {
        // Set before the lock is acquired: any failure from now on is a consequence of the close.
        closed = true;
        closeResources();
    }

    private synchronized void closeResources() throws Exception {
        Exception failure = null;
        while (!resources.isEmpty()) {
            try {
                resources.removeFirst().close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        deleteRoot();
        if (failure != null) {
            throw failure;
        }
    }

    private void closeAtExit() {
        try {
            close();
        } catch (Exception e) {
            System.err.println("bench: some processes or files are left: " + e);
        }
    }

    /** Retries, because a process that has just been stopped may still write a last file. */
    private void deleteRoot() throws IOException, InterruptedException {
        for (int attempt = 1; Files.exists(root); attempt++) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException | UncheckedIOException e) {
                if (attempt == ATTEMPTS) {
                    throw new IOException("the directory could not be deleted: " + root, e);
                }
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }
}
