package org.sallyport.connector.mcp;

import java.util.function.LongSupplier;

/** How much a server may say that nobody asked for: so much at once, and so much more each second. Thread-safe. */
final class Allowance {
    private static final double NANOS = 1e9;

    private final double most;
    private final double perSecond;
    private final LongSupplier nanoTime;
    private double left;
    private long last;

    Allowance(double most, double perSecond, LongSupplier nanoTime) {
        this.most = most;
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.left = most;
        this.last = nanoTime.getAsLong();
    }

    /** Takes one; false when there is none left. */
    synchronized boolean take() {
        long now = nanoTime.getAsLong();
        left = Math.min(most, left + (now - last) / NANOS * perSecond);
        last = now;
        if (left < 1) {
            return false;
        }
        left--;
        return true;
    }
}
