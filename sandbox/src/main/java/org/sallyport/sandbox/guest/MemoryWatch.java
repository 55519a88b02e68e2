package org.sallyport.sandbox.guest;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Collection;
import java.util.Comparator;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;

/**
 * Ends sessions that hold too much memory. The heap is not divided by session, so this is an estimate: when what
 * survives a collection has grown by more than a session may hold since there was none, the session that allocated most is
 * held responsible. Used on one thread, but for {@link #fullness}.
 */
final class MemoryWatch {
    private static final long COLLECT_EVERY_NANOS = 1_000_000_000L;
    private static final double TOO_FULL = 0.75;
    /** From so much on what earlier sessions left is told apart from what the next ones hold. */
    private static final long MUCH = 24L << 20;
    /** So little that sessions may ask for in all while what they hold need not be watched. */
    private static final long LITTLE = 16L << 20;

    private final MemoryPoolMXBean old = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .max(Comparator.comparing(pool -> pool.getName().contains("Tenured") ? 1 : 0))
            .orElseThrow();
    private final Runnable caches;
    private long baseline = old.getUsage().getUsed();
    private long collectedNanos = System.nanoTime() - COLLECT_EVERY_NANOS;

    /** @param caches empties what is kept only for speed */
    MemoryWatch(Runnable caches) {
        this.caches = caches;
    }

    static String message(SessionLimits limits) {
        return "The script held more memory than its limit of " + (limits.heapBytes() >> 20)
                + " MB; raise limits.heapBytes or hold less at once";
    }

    /** How full the heap is after the last collection, from 0 to 1. */
    double fullness() {
        long max = Math.max(1, old.getUsage().getMax());
        return Math.max(0, old.getCollectionUsage().getUsed()) / (double) max;
    }

    /** Called now and then while there are sessions, and once when there are none any more. */
    void look(Collection<GuestSession> sessions) {
        long asked = sessions.stream().mapToLong(GuestSession::allocatedBytes).sum();
        GuestSession top = sessions.stream()
                .max(Comparator.comparingLong(GuestSession::allocatedBytes))
                .orElse(null);
        if (top == null || top.allocatedBytes() < top.limits().heapBytes()) {
            if (asked < LITTLE) {
                rest(asked);
            }
            return;
        }
        if (recentlyCollected()) {
            return;
        }
        if (old.getUsage().getUsed() - baseline < Math.min(top.limits().heapBytes(), tooFull())) {
            return;
        }
        collect();
        if (holdsTooMuch(top, sessions)) {
            // What is kept for speed is nobody's: it goes first.
            caches.run();
            collect();
            if (holdsTooMuch(top, sessions)) {
                top.stop(new SessionEnd.LimitReached(SessionEnd.Limit.MEMORY, message(top.limits())));
            }
        }
    }

    /** What remains beyond all that those who are there have ever asked for belongs to none of them, nor of those who come. */
    private void rest(long asked) {
        if (old.getUsage().getUsed() - baseline < MUCH || recentlyCollected()) {
            return;
        }
        collect();
        if (old.getUsage().getUsed() > tooFull() / 2) {
            caches.run();
            collect();
        }
        baseline = Math.max(0, old.getUsage().getUsed() - asked);
    }

    private boolean holdsTooMuch(GuestSession top, Collection<GuestSession> sessions) {
        long held = old.getUsage().getUsed() - baseline;
        long byOthers = sessions.stream()
                .filter(each -> each != top)
                .mapToLong(each -> Math.min(each.allocatedBytes(), each.limits().heapBytes()))
                .sum();
        long limit = top.limits().heapBytes();
        return held - Math.min(byOthers, held / 2) > limit || (held > limit / 2 && held + baseline > tooFull());
    }

    private long tooFull() {
        return (long) (old.getUsage().getMax() * TOO_FULL);
    }

    private boolean recentlyCollected() {
        return System.nanoTime() - collectedNanos < COLLECT_EVERY_NANOS;
    }

    private void collect() {
        System.gc();
        collectedNanos = System.nanoTime();
    }
}
