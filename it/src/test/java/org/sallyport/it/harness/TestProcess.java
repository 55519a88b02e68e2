package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Which of the processes of this machine this is that run such tests side by side. */
final class TestProcess {
    static final int MOST = 16;
    /** Held until this process ends; the system lets go of it then, however that comes. */
    private static @Nullable FileLock held;

    private TestProcess() {}

    /** From 1 to {@link #MOST}, of no other process while this one runs. */
    static synchronized int number() {
        FileLock lock = held;
        for (int i = 1; lock == null && i <= MOST; i++) {
            lock = held = lock(i);
        }
        if (lock == null) {
            throw new AssertionError("more than " + MOST + " processes run tests of the whole system");
        }
        return (int) lock.position();
    }

    private static @Nullable FileLock lock(int number) {
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
