package org.sallyport.sandbox.guest;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Collection;
import java.util.Comparator;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionResult;

/**
 * Ends sessions that hold too much memory. The heap is not divided by session, so this is an estimate: when the memory
 * that survives a collection exceeds the baseline without sessions by more than a session may hold, the session that
 * allocated most is held responsible. Used on one thread, except {@link #heapFullness}.
 */
final class MemoryMonitor {
    private static final long MIN_GC_INTERVAL_NANOS = 1_000_000_000L;
    private static final double MAX_HEAP_FRACTION = 0.75;
    /** Minimum growth that triggers a new baseline, which excludes the remains of earlier sessions. */
    private static final long MIN_REBASE_BYTES = 24L << 20;
    /** Total allocation of the live sessions below which their memory need not be monitored. */
    private static final long UNWATCHED_BYTES = 16L << 20;

    private final MemoryPoolMXBean oldGeneration = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .max(Comparator.comparing(pool -> pool.getName().contains("Tenured") ? 1 : 0))
            .orElseThrow();
    private final Runnable clearCaches;
    private long baseline = oldGeneration.getUsage().getUsed();
    private long lastGcNanos = System.nanoTime() - MIN_GC_INTERVAL_NANOS;

    /**
     * @param caches clears the caches, which exist only for speed
     */
    MemoryMonitor(Runnable caches) {
        this.clearCaches = caches;
    }

    static String limitMessage(SessionLimits limits) {
        return "The script held more memory than its limit of " + (limits.heapBytes() >> 20)
                + " MB; raise limits.heapBytes or keep less data in memory at one time";
    }

    /** Returns the share of the heap in use after the last collection, from 0 to 1. */
    double heapFullness() {
        long max = Math.max(1, oldGeneration.getUsage().getMax());
        return Math.max(0, oldGeneration.getCollectionUsage().getUsed()) / (double) max;
    }

    /** Called periodically while there are sessions, and once after the last one has ended. */
    void checkSessions(Collection<GuestSession> sessions) {
        long asked = sessions.stream().mapToLong(GuestSession::allocatedBytes).sum();
        GuestSession top = sessions.stream()
                .max(Comparator.comparingLong(GuestSession::allocatedBytes))
                .orElse(null);
        if (top == null || top.allocatedBytes() < top.limits().heapBytes()) {
            if (asked < UNWATCHED_BYTES) {
                updateBaseline(asked);
            }
            return;
        }
        if (recentlyCollected()) {
            return;
        }
        if (oldGeneration.getUsage().getUsed() - baseline
                < Math.min(top.limits().heapBytes(), maxHeapBytes())) {
            return;
        }
        runGc();
        if (holdsTooMuch(top, sessions)) {
            // Cached data belongs to no session, so it is dropped first.
            clearCaches.run();
            runGc();
            if (holdsTooMuch(top, sessions)) {
                top.stop(new SessionResult.SessionLimitReached(
                        SessionResult.SessionLimitType.MEMORY, limitMessage(top.limits())));
            }
        }
    }

    /**
     * Sets the baseline to the used memory minus all allocations of the live sessions; the rest belongs to no session.
     */
    private void updateBaseline(long asked) {
        if (oldGeneration.getUsage().getUsed() - baseline < MIN_REBASE_BYTES || recentlyCollected()) {
            return;
        }
        runGc();
        if (oldGeneration.getUsage().getUsed() > maxHeapBytes() / 2) {
            clearCaches.run();
            runGc();
        }
        baseline = Math.max(0, oldGeneration.getUsage().getUsed() - asked);
    }

    private boolean holdsTooMuch(GuestSession top, Collection<GuestSession> sessions) {
        long held = oldGeneration.getUsage().getUsed() - baseline;
        long byOthers = sessions.stream()
                .filter(each -> each != top)
                .mapToLong(each -> Math.min(each.allocatedBytes(), each.limits().heapBytes()))
                .sum();
        long limit = top.limits().heapBytes();
        return held - Math.min(byOthers, held / 2) > limit || (held > limit / 2 && held + baseline > maxHeapBytes());
    }

    private long maxHeapBytes() {
        return (long) (oldGeneration.getUsage().getMax() * MAX_HEAP_FRACTION);
    }

    private boolean recentlyCollected() {
        return System.nanoTime() - lastGcNanos < MIN_GC_INTERVAL_NANOS;
    }

    private void runGc() {
        System.gc();
        lastGcNanos = System.nanoTime();
    }
}
