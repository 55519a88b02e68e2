package org.sallyport.broker;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/** Lets so many lines of a log through in a minute: whoever can make the broker write one could fill the disk. Thread-safe. */
final class Rationed implements Filter {
    private static final int MOST = 60;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private long begun;
    private int lines;

    Rationed(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.begun = nanoTime.getAsLong();
    }

    @Override
    public synchronized boolean isLoggable(LogRecord line) {
        long now = nanoTime.getAsLong();
        if (now - begun >= MINUTE) {
            begun = now;
            lines = 0;
        }
        return ++lines <= MOST;
    }
}
