package org.sallyport.telemetry;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.otlp.SpanSender.ExportOutcome;
import org.sallyport.otlp.SpanSender.ExportResult;

/**
 * Exports the spans of ended executions and removes accepted ones from the outbox. If the node ends between the two
 * steps, the spans are sent again with the same ids. The threads that end executions never block here. An unavailable
 * collector costs memory for at most {@link SpanExportLimits#maxQueued} ids. {@link #poll} and {@link #flush} return
 * immediately while another thread is in one of them.
 */
public final class SpanExporter {
    private static final Logger LOG = System.getLogger(SpanExporter.class.getName());

    private static final int BATCH_SIZE = 100;
    private static final int PAGE_SIZE = 1_000;
    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(15);
    private static final Duration INITIAL_BACKOFF = Duration.ofSeconds(1);
    private static final int MAX_BACKOFF_DOUBLINGS = 5;

    private final SpanOutbox store;
    private final SpanBatcher batcher;
    private final SpanExportLimits limits;
    private final SpanExportMetrics metrics;
    private final LongSupplier nanoTime;
    private final BlockingQueue<ExecutionId> endedQueue;
    private final ReentrantLock exportLock = new ReentrantLock();
    private final ThrottledLog throttledLog;

    private volatile List<ExecutionId> currentBatch = List.of();
    private int failures;
    private long retryAtNanos;
    private long sweepAtNanos;
    /** The first sweep covers all ended executions; later sweeps only those that other nodes left behind. */
    private Duration sweepAge = Duration.ZERO;

    private Optional<ExecutionId> sweepCursor = Optional.empty();

    /**
     * Limits of the export.
     *
     * @param maxQueued maximum number of ended executions in the queue
     * @param dropAfter age of an ended execution at which its spans are dropped while the collector accepts none
     * @param lostAfter age of an ended execution at which its unsent spans count as abandoned by the node that ended it
     */
    public record SpanExportLimits(int maxQueued, Duration dropAfter, Duration lostAfter) {}

    /** @param nanoTime a monotonic clock, in nanoseconds */
    public SpanExporter(
            SpanOutbox store,
            SpanBatcher parcels,
            SpanExportLimits bounds,
            SpanExportMetrics figures,
            LongSupplier nanoTime) {
        this.store = store;
        this.batcher = parcels;
        this.limits = bounds;
        this.metrics = figures;
        this.nanoTime = nanoTime;
        this.endedQueue = new ArrayBlockingQueue<>(bounds.maxQueued());
        this.throttledLog = new ThrottledLog(nanoTime);
        this.sweepAtNanos = nanoTime.getAsLong();
        this.retryAtNanos = sweepAtNanos;
        figures.waiting(() -> endedQueue.size() + currentBatch.size());
    }

    /**
     * Queues an execution that ended on this node. Never blocks. When the queue is full, a later sweep finds the
     * execution.
     */
    public void onEnded(ExecutionId id) {
        endedQueue.offer(id);
    }

    /** Sends the pending spans, unless the collector failed recently. */
    public void poll() {
        if (exportLock.tryLock()) {
            try {
                if (nanoTime.getAsLong() - retryAtNanos >= 0) {
                    exportPending(() -> Long.MAX_VALUE);
                }
            } finally {
                exportLock.unlock();
            }
        }
    }

    /**
     * Sends the pending spans for at most {@code timeout}, even if the collector failed recently. The rest is sent
     * after the next start.
     */
    public void flush(Duration timeout) {
        long until = nanoTime.getAsLong() + timeout.toNanos();
        try {
            if (exportLock.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    exportPending(() -> until - nanoTime.getAsLong());
                } finally {
                    exportLock.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param left remaining time in nanoseconds */
    private void exportPending(LongSupplier left) {
        try {
            sweep();
            while (left.getAsLong() > 0) {
                if (currentBatch.isEmpty()) {
                    currentBatch = takeBatch();
                }
                if (currentBatch.isEmpty()) {
                    return;
                }
                currentBatch = store.retainUnsent(currentBatch);
                if (!currentBatch.isEmpty() && !send(currentBatch, left)) {
                    return;
                }
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "spans cannot be read while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "spans could not be exported; the next poll tries again", e);
        }
    }

    private List<ExecutionId> takeBatch() {
        List<ExecutionId> some = new ArrayList<>();
        endedQueue.drainTo(some, BATCH_SIZE);
        return some;
    }

    /** Finds executions whose node stopped, and those for which the queue was full. */
    private void sweep() {
        if (nanoTime.getAsLong() - sweepAtNanos < 0
                || !currentBatch.isEmpty()
                || endedQueue.remainingCapacity() < limits.maxQueued() / 2.0) {
            return;
        }
        SpanOutbox.OutboxPage page = store.listEnded(sweepCursor, sweepAge, PAGE_SIZE);
        page.executionIds().forEach(this::onEnded);
        sweepCursor = page.next();
        if (sweepCursor.isEmpty()) {
            sweepAge = limits.lostAfter();
            sweepAtNanos = nanoTime.getAsLong() + SWEEP_INTERVAL.toNanos();
        }
    }

    /** Returns whether to continue with further executions. */
    private boolean send(List<ExecutionId> ids, LongSupplier left) {
        SpanBatcher.SpanSendResult sent = batcher.send(ids, Math.max(1, left.getAsLong()));
        ExportResult verdict = sent.result();
        metrics.sent(sent.accepted());
        if (verdict.outcome() == ExportOutcome.TAKEN) {
            store.markSent(ids);
            currentBatch = List.of();
            failures = 0;
            throttledLog.logRecovery();
            return true;
        }
        metrics.recordFailure();
        if (verdict.outcome() == ExportOutcome.REFUSED) {
            store.markSent(ids);
            currentBatch = List.of();
            metrics.dropped(ids.size(), sent.rejected());
            throttledLog.warn("refused and dropped: " + verdict.reason());
            return true;
        }
        retryAtNanos =
                nanoTime.getAsLong() + INITIAL_BACKOFF.toNanos() * (1L << Math.min(failures++, MAX_BACKOFF_DOUBLINGS));
        int given = dropExpired();
        metrics.dropped(given, 0);
        throttledLog.warn("not accepted and are sent again"
                + (given == 0 ? "" : "; those of " + given + " executions were dropped") + ": " + verdict.reason());
        return false;
    }

    private int dropExpired() {
        int all = 0;
        int some;
        do {
            some = store.dropUnsent(limits.dropAfter(), PAGE_SIZE);
            all += some;
        } while (some == PAGE_SIZE);
        return all;
    }
}
