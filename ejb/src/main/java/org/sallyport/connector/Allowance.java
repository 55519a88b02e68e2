package org.sallyport.connector;

import java.util.function.LongSupplier;

/** How much somebody may say that nobody asked for: so much at once, and so much more each second. Thread-safe. */
public final class Allowance {
    private static final double NANOS = 1e9;

    private final double most;
    private final double perSecond;
    private final LongSupplier nanoTime;
    private double left;
    private long last;

    public Allowance(double most, double perSecond, LongSupplier nanoTime) {
        this.most = most;
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.left = most;
        this.last = nanoTime.getAsLong();
    }

    /** Takes one; false when there is none left. */
    public synchronized boolean take() {
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
