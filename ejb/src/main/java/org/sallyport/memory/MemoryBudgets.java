package org.sallyport.memory;

import java.util.List;

/**
 * The memory budgets of this node. They divide a part of the heap; the rest is for what the node holds all the time.
 * Each budget has a fixed share of that part.
 */
public final class MemoryBudgets {
    /** Enough for two of the largest bodies that the default limits allow. */
    private static final long MIN_BODIES_BYTES = 48L << 20;

    /** Enough for two of the largest messages, or artifacts, that the default limits allow. */
    private static final long MIN_MESSAGES_BYTES = 64L << 20;

    /** Enough for two of the longest results that the default limits allow. */
    private static final long MIN_RESULTS_BYTES = 32L << 20;

    private static final long MIN_ANSWERS_BYTES = 32L << 20;
    private static final int BODIES_PARTS = 8;
    private static final int ARGUMENTS_PARTS = 8;
    private static final int CALLS_PARTS = 4;
    private static final int REPLIES_PARTS = 8;
    private static final int READS_PARTS = 16;
    private static final int ENTRIES_PARTS = 32;
    private static final int RESULTS_PARTS = 32;
    private static final int ANSWERS_PARTS = 4;

    private final MemoryBudget bodies;
    private final MemoryBudget arguments;
    private final MemoryBudget calls;
    private final MemoryBudget replies;
    private final MemoryBudget reads;
    private final MemoryBudget entries;
    private final MemoryBudget results;
    private final MemoryBudget answers;

    /**
     * @param maxHeapBytes maximum size of the heap
     * @param percent the part of the heap that the budgets divide
     */
    public MemoryBudgets(long maxHeapBytes, int percent) {
        long bytes = maxHeapBytes / 100 * percent;
        this.bodies = new MemoryBudget("bodies", Math.max(MIN_BODIES_BYTES, bytes / BODIES_PARTS));
        this.arguments = new MemoryBudget("arguments", Math.max(MIN_MESSAGES_BYTES, bytes / ARGUMENTS_PARTS));
        this.calls = new MemoryBudget("calls", Math.max(MIN_MESSAGES_BYTES, bytes / CALLS_PARTS));
        this.replies = new MemoryBudget("replies", Math.max(MIN_MESSAGES_BYTES, bytes / REPLIES_PARTS));
        this.reads = new MemoryBudget("reads", Math.max(MIN_MESSAGES_BYTES, bytes / READS_PARTS));
        this.entries = new MemoryBudget("entries", Math.max(MIN_MESSAGES_BYTES, bytes / ENTRIES_PARTS));
        this.results = new MemoryBudget("results", Math.max(MIN_RESULTS_BYTES, bytes / RESULTS_PARTS));
        this.answers = new MemoryBudget("answers", Math.max(MIN_ANSWERS_BYTES, bytes / ANSWERS_PARTS));
    }

    /** For the bodies of requests and what is built of them, while the requests are handled. */
    public MemoryBudget bodies() {
        return bodies;
    }

    /**
     * For long arguments of the calls of this node's scripts, until the calls are answered. Not the budget of the calls
     * that this node has received: a script that holds memory waits for a backend that needs some.
     */
    public MemoryBudget arguments() {
        return arguments;
    }

    /** For the tool calls that this node has received for its backends and not answered. */
    public MemoryBudget calls() {
        return calls;
    }

    /** For the replies to tool calls, until they are delivered to the scripts of this node. */
    public MemoryBudget replies() {
        return replies;
    }

    /** For the artifacts that scripts of this node read, while they are read. */
    public MemoryBudget reads() {
        return reads;
    }

    /** For the journal entries and the output of this node's runs that are not stored yet. */
    public MemoryBudget entries() {
        return entries;
    }

    /**
     * For long results of this node's scripts, until they are stored. Small, because H2 stores them one after the
     * other, and results that wait for it fill the heap.
     */
    public MemoryBudget results() {
        return results;
    }

    /** For the responses that this node builds, and those that wait for clients that read slowly. */
    public MemoryBudget answers() {
        return answers;
    }

    public List<MemoryBudget> all() {
        return List.of(bodies, arguments, calls, replies, reads, entries, results, answers);
    }
}
