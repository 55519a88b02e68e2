package org.sallyport.memory;

import java.util.List;

/**
 * The memory budgets of this node. They divide a part of the heap; the rest is for what the node holds all the time.
 * Each budget has a fixed share of that part.
 */
public final class MemoryBudgets {
    /** Enough for two of the largest bodies that the default limits allow. */
    private static final long MIN_BODIES_BYTES = 48L << 20;

    private static final int BODIES_PARTS = 8;

    private final MemoryBudget bodies;

    /**
     * @param maxHeapBytes maximum size of the heap
     * @param percent the part of the heap that the budgets divide
     */
    public MemoryBudgets(long maxHeapBytes, int percent) {
        this.bodies =
                new MemoryBudget("bodies", Math.max(MIN_BODIES_BYTES, maxHeapBytes / 100 * percent / BODIES_PARTS));
    }

    /** For the bodies of requests and what is built of them, while the requests are handled. */
    public MemoryBudget bodies() {
        return bodies;
    }

    public List<MemoryBudget> all() {
        return List.of(bodies);
    }
}
