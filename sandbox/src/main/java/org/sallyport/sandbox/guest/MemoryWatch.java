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
 * survives a collection has grown by more than a session may hold, the session that allocated most is held responsible.
 */
final class MemoryWatch {
    private static final long COLLECT_EVERY_NANOS = 1_000_000_000L;
    private static final double TOO_FULL = 0.75;

    private final MemoryPoolMXBean old = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .max(Comparator.comparing(pool -> pool.getName().contains("Tenured") ? 1 : 0))
            .orElseThrow();
    private final long baseline = old.getUsage().getUsed();
    private long collectedNanos = System.nanoTime() - COLLECT_EVERY_NANOS;

    static String message(SessionLimits limits) {
        return "The script held more memory than its limit of " + (limits.heapBytes() >> 20)
                + " MB; raise limits.heapBytes or hold less at once";
    }

    /** How full the heap is after the last collection, from 0 to 1. */
    double fullness() {
        long max = Math.max(1, old.getUsage().getMax());
        return Math.max(0, old.getCollectionUsage().getUsed()) / (double) max;
    }

    void look(Collection<GuestSession> sessions) {
        GuestSession top = sessions.stream()
                .max(Comparator.comparingLong(each -> each.usage().allocatedBytes()))
                .orElse(null);
        if (top == null || top.usage().allocatedBytes() < top.limits().heapBytes()) {
            return;
        }
        long limit = top.limits().heapBytes();
        long max = old.getUsage().getMax();
        if (old.getUsage().getUsed() - baseline < Math.min(limit, (long) (max * TOO_FULL))) {
            return;
        }
        if (System.nanoTime() - collectedNanos < COLLECT_EVERY_NANOS) {
            return;
        }
        System.gc();
        collectedNanos = System.nanoTime();
        long held = old.getUsage().getUsed() - baseline;
        long byOthers = sessions.stream()
                .filter(each -> each != top)
                .mapToLong(each ->
                        Math.min(each.usage().allocatedBytes(), each.limits().heapBytes()))
                .sum();
        if (held - Math.min(byOthers, held / 2) > limit || held + baseline > max * TOO_FULL) {
            top.stop(new SessionEnd.LimitReached(SessionEnd.Limit.MEMORY, message(top.limits())));
        }
    }
}
