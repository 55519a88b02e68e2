package org.sallyport.submission;

import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;

/**
 * The jobs of one tenant in a {@link TenantFairQueue}: higher priorities first, then first in, first out. Not
 * thread-safe.
 */
final class TenantQueue {
    private final int weight;
    private final PriorityQueue<QueuedJob> jobs = new PriorityQueue<>(
            Comparator.comparingInt((QueuedJob place) -> -place.job().priority())
                    .thenComparingLong(QueuedJob::sequence));
    private final Set<ExecutionId> ids = new HashSet<>();
    private long nextSequence;
    private int takenInTurn;
    /**
     * Messages that wait in the broker, as far as this node knows; {@code inPriorityLane} of them use the priority
     * lane.
     */
    private int sentCount;

    private int inPriorityLane;
    private long lastSent;

    private record QueuedJob(ExecutionJob job, long sequence) {}

    TenantQueue(int weight) {
        this.weight = weight;
    }

    void add(ExecutionJob job) {
        jobs.add(new QueuedJob(job, nextSequence++));
        ids.add(job.id());
    }

    boolean isQueued(ExecutionId id) {
        return ids.contains(id);
    }

    int queuedCount() {
        return jobs.size();
    }

    /** Returns whether the tenant may have one more message in the priority lane. */
    boolean belowTurnQuota() {
        return inPriorityLane < weight;
    }

    /** Counts one job of this round. Returns true when it is the last job of the round. */
    boolean advanceTurn() {
        takenInTurn = takenInTurn % weight + 1;
        return takenInTurn == weight;
    }

    ExecutionJob poll(long now, boolean goesAhead) {
        if (goesAhead) {
            inPriorityLane = Math.min(inPriorityLane, weight - 1) + 1;
        }
        ExecutionJob job = jobs.remove().job();
        ids.remove(job.id());
        sentCount++;
        lastSent = now;
        return job;
    }

    /** Records that a message of the tenant left the broker; messages of the priority lane leave first. */
    void jobConsumed() {
        sentCount = Math.max(0, sentCount - 1);
        inPriorityLane = Math.max(0, inPriorityLane - 1);
    }

    void resetPriorityLane() {
        inPriorityLane = 0;
    }

    void resetSent() {
        sentCount = 0;
        inPriorityLane = 0;
    }

    boolean isIdle() {
        return sentCount == 0 && jobs.isEmpty();
    }

    boolean idleSince(long then) {
        return lastSent - then < 0;
    }
}
