package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Which of the processes of this machine this is that run such tests side by side. */
final class TestProcessNumber {
    static final int MAX_PROCESSES = 16;
    /** Held until this process ends; the system lets go of it then, however that comes. */
    private static @Nullable FileLock heldLock;

    private TestProcessNumber() {}

    /** From 1 to {@link #MAX_PROCESSES}, of no other process while this one runs. */
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
