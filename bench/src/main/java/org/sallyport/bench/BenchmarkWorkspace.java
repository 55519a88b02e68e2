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
 * Everything that a run makes: files below one temporary directory, and what was started. All of it is gone when it is
 * closed, and when this process ends before that by itself or by a signal. Thread-safe.
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

    /** A new empty directory. */
    Path createDirectory(String name) throws IOException {
        return Files.createDirectory(root.resolve(name));
    }

    /** To be closed before all that was started earlier; at once if the end has come. */
    synchronized <T extends AutoCloseable> T register(T thing) throws Exception {
        if (closed) {
            thing.close();
            throw new IllegalStateException("the run is being ended");
        }
        resources.addFirst(thing);
        return thing;
    }

    /** Whether the end has come. */
    boolean isClosed() {
        return closed;
    }

    /** Waits for an end that is under way on another thread. */
    @Override
    public void close() throws Exception {
        // Set before the lock is asked for: what fails from now on fails because of the end.
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
            System.err.println("bench: not everything could be ended: " + e);
        }
    }

    /** What was ended may still be writing a last file. */
    private void deleteRoot() throws IOException, InterruptedException {
        for (int attempt = 1; Files.exists(root); attempt++) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException | UncheckedIOException e) {
                if (attempt == ATTEMPTS) {
                    throw new IOException("could not be removed: " + root, e);
                }
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }
}
