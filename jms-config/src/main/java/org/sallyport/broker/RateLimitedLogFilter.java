package org.sallyport.broker;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/** Limits the log records per minute, because clients that can trigger records could fill the disk. Thread-safe. */
final class RateLimitedLogFilter implements Filter {
    private static final int MAX_LINES_PER_MINUTE = 60;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private long windowStart;
    private int lines;

    RateLimitedLogFilter(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.windowStart = nanoTime.getAsLong();
    }

    @Override
    public synchronized boolean isLoggable(LogRecord line) {
        long now = nanoTime.getAsLong();
        if (now - windowStart >= MINUTE) {
            windowStart = now;
            lines = 0;
        }
        return ++lines <= MAX_LINES_PER_MINUTE;
    }
}
