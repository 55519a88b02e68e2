package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The number of this test process among the concurrent test processes of this machine. */
final class TestProcessNumber {
    static final int MAX_PROCESSES = 16;
    /** Held until this process ends. The operating system releases the lock in every case. */
    private static @Nullable FileLock heldLock;

    private TestProcessNumber() {}

    /** Returns a number from 1 to {@link #MAX_PROCESSES} that no other live process has. */
    static synchronized int get() {
        FileLock lock = heldLock;
        for (int i = 1; lock == null && i <= MAX_PROCESSES; i++) {
            lock = heldLock = tryLock(i);
        }
        if (lock == null) {
            throw new AssertionError("more than " + MAX_PROCESSES + " processes run tests of the whole system");
        }
        return (int) lock.position();
    }

    private static @Nullable FileLock tryLock(int number) {
        Path file = Path.of(System.getProperty("java.io.tmpdir"), "sallyport-it-processes.lock");
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock(number, 1, false);
            if (lock == null) {
                channel.close();
            }
            return lock;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
