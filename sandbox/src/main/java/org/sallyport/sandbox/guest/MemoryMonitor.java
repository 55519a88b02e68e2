package org.sallyport.sandbox.guest;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionResult;

/**
 * Ends sessions that hold too much memory. The heap is not divided by session, so this is an estimate: when the memory
 * that survives a collection exceeds the baseline without sessions by more than a session may hold, the session that
 * allocated most is held responsible.
 *
 * <p>A collection happens at any point of a script. So that a script which exceeds its limit for a moment does not end
 * by chance, it ends only if it exceeds the limit at two collections with a second between them, or fills the heap.
 *
 * <p>Used on one thread, except {@link #heapFullness}.
 */
final class MemoryMonitor {
    private static final long MIN_GC_INTERVAL_NANOS = 1_000_000_000L;
    /** Minimum time between collections while the heap is nearly full. */
    private static final long MIN_URGENT_GC_INTERVAL_NANOS = 100_000_000L;

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
    private @Nullable LimitExcess excess;

    /** A session that exceeded its limit at a collection, and at all later ones. */
    private record LimitExcess(GuestSession session, long sinceNanos) {}

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
        long used = oldGeneration.getUsage().getUsed();
        if (used - baseline < Math.min(top.limits().heapBytes(), maxHeapBytes())) {
            excess = null;
            return;
        }
        if (recentlyCollected(used > maxHeapBytes() ? MIN_URGENT_GC_INTERVAL_NANOS : MIN_GC_INTERVAL_NANOS)) {
            return;
        }
        LimitExcess before = excess;
        excess = null;
        runGc();
        if (holdsTooMuch(top, sessions)) {
            // Cached data belongs to no session, so it is dropped first.
            clearCaches.run();
            runGc();
            if (holdsTooMuch(top, sessions)) {
                handleExcess(top, before);
            }
        }
    }

    private void handleExcess(GuestSession top, @Nullable LimitExcess before) {
        LimitExcess current = before != null && before.session() == top ? before : new LimitExcess(top, lastGcNanos);
        if (lastGcNanos - current.sinceNanos() >= MIN_GC_INTERVAL_NANOS || isHeapFull(top)) {
            top.stop(new SessionResult.SessionLimitReached(
                    SessionResult.SessionLimitType.MEMORY, limitMessage(top.limits())));
        } else {
            excess = current;
        }
    }

    /**
     * Sets the baseline to the used memory minus all allocations of the live sessions; the rest belongs to no session.
     */
    private void updateBaseline(long asked) {
        if (oldGeneration.getUsage().getUsed() - baseline < MIN_REBASE_BYTES
                || recentlyCollected(MIN_GC_INTERVAL_NANOS)) {
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
        return held - Math.min(byOthers, held / 2) > limit || isHeapFull(top);
    }

    /** Returns whether little memory is left, much of which the session may hold. */
    private boolean isHeapFull(GuestSession top) {
        long used = oldGeneration.getUsage().getUsed();
        return used > maxHeapBytes() && used - baseline > top.limits().heapBytes() / 2;
    }

    private long maxHeapBytes() {
        return (long) (oldGeneration.getUsage().getMax() * MAX_HEAP_FRACTION);
    }

    private boolean recentlyCollected(long intervalNanos) {
        return System.nanoTime() - lastGcNanos < intervalNanos;
    }

    private void runGc() {
        System.gc();
        lastGcNanos = System.nanoTime();
    }
}
