package org.sallyport.runner;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Reports whether this process is short of heap memory: the heap used after the last garbage collection exceeds a
 * percentage of the maximum.
 */
public final class HeapMonitor implements BooleanSupplier {
    /** Age in milliseconds at which a collection is ignored: without recent collections there is no memory pressure. */
    private static final long STALE_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final double maxUsedBytes;
    private final List<GarbageCollectorMXBean> collectors =
            ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class);
    private final Set<String> heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());

    /**
     * @param percent percentage of the maximum heap that may remain in use after a collection; 100 disables the check
     */
    public HeapMonitor(int percent) {
        this.maxUsedBytes = percent / 100.0 * Runtime.getRuntime().maxMemory();
    }

    @Override
    public boolean getAsBoolean() {
        Optional<GcInfo> last = collectors.stream()
                .map(GarbageCollectorMXBean::getLastGcInfo)
                .filter(Objects::nonNull)
                .max(Comparator.comparingLong(GcInfo::getEndTime));
        long now = ManagementFactory.getRuntimeMXBean().getUptime();
        return last.filter(info -> now - info.getEndTime() < STALE_MILLIS)
                .filter(info -> usedAfterGc(info) > maxUsedBytes)
                .isPresent();
    }

    private long usedAfterGc(GcInfo info) {
        return info.getMemoryUsageAfterGc().entrySet().stream()
                .filter(pool -> heapPools.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
    }
}
