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
import org.sallyport.otlp.SpanSender.Outcome;
import org.sallyport.otlp.SpanSender.Verdict;

/**
 * Sends the spans of executions that have ended, and forgets those that were taken. What was sent and not forgotten, since the node
 * died between, is sent again under the same ids. Who ends executions waits for nothing here; a collector that takes nothing costs
 * memory for {@link Bounds#queue} ids at most. {@link #look} and {@link #flush} do nothing while another thread is in one of them.
 */
public final class SpanExport {
    private static final Logger LOG = System.getLogger(SpanExport.class.getName());

    private static final int AT_ONCE = 100;
    private static final int PAGE = 1_000;
    private static final Duration SWEEP = Duration.ofSeconds(15);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 5;

    private final SpanStore store;
    private final Parcels parcels;
    private final Bounds bounds;
    private final SpanFigures figures;
    private final LongSupplier nanoTime;
    private final BlockingQueue<ExecutionId> ended;
    private final ReentrantLock turn = new ReentrantLock();
    private final Complaints complaints;

    private volatile List<ExecutionId> held = List.of();
    private int failures;
    private long again;
    private long sweepAt;
    /** At the start all is looked for, later only what others have forgotten. */
    private Duration age = Duration.ZERO;

    private Optional<ExecutionId> sweptTo = Optional.empty();

    /**
     * How much.
     *
     * @param queue ended executions that are remembered
     * @param patience how long after its end an execution's spans are dropped while the collector takes none
     * @param lost how long after its end an execution that is yet to be told was forgotten by whoever ended it
     */
    public record Bounds(int queue, Duration patience, Duration lost) {}

    /** @param nanoTime counts on while the node lives */
    public SpanExport(SpanStore store, Parcels parcels, Bounds bounds, SpanFigures figures, LongSupplier nanoTime) {
        this.store = store;
        this.parcels = parcels;
        this.bounds = bounds;
        this.figures = figures;
        this.nanoTime = nanoTime;
        this.ended = new ArrayBlockingQueue<>(bounds.queue());
        this.complaints = new Complaints(nanoTime);
        this.sweepAt = nanoTime.getAsLong();
        this.again = sweepAt;
        figures.waiting(() -> ended.size() + held.size());
    }

    /** An execution has ended on this node. Never blocks; one for which there is no room is found again later. */
    public void ended(ExecutionId id) {
        ended.offer(id);
    }

    /** Sends what there is, unless the collector has just failed. */
    public void look() {
        if (turn.tryLock()) {
            try {
                if (nanoTime.getAsLong() - again >= 0) {
                    work(() -> Long.MAX_VALUE);
                }
            } finally {
                turn.unlock();
            }
        }
    }

    /** Sends what there is for as long as {@code most}, the collector having failed or not; what is left is sent after a start. */
    public void flush(Duration most) {
        long until = nanoTime.getAsLong() + most.toNanos();
        try {
            if (turn.tryLock(most.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    work(() -> until - nanoTime.getAsLong());
                } finally {
                    turn.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param left nanoseconds that it may take yet */
    private void work(LongSupplier left) {
        try {
            sweep();
            while (left.getAsLong() > 0) {
                if (held.isEmpty()) {
                    held = drained();
                }
                if (held.isEmpty()) {
                    return;
                }
                held = store.owed(held);
                if (!held.isEmpty() && !send(held, left)) {
                    return;
                }
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "spans cannot be looked up now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "spans could not be looked at; the next look tries again", e);
        }
    }

    private List<ExecutionId> drained() {
        List<ExecutionId> some = new ArrayList<>();
        ended.drainTo(some, AT_ONCE);
        return some;
    }

    /** Finds what ended with its node, or when there was no room. */
    private void sweep() {
        if (nanoTime.getAsLong() - sweepAt < 0 || !held.isEmpty() || ended.remainingCapacity() < bounds.queue() / 2.0) {
            return;
        }
        SpanStore.Page page = store.look(sweptTo, age, PAGE);
        page.ended().forEach(this::ended);
        sweptTo = page.next();
        if (sweptTo.isEmpty()) {
            age = bounds.lost();
            sweepAt = nanoTime.getAsLong() + SWEEP.toNanos();
        }
    }

    /** Whether there is a point in going on. */
    private boolean send(List<ExecutionId> ids, LongSupplier left) {
        Parcels.Sent sent = parcels.send(ids, Math.max(1, left.getAsLong()));
        Verdict verdict = sent.verdict();
        figures.sent(sent.taken());
        if (verdict.outcome() == Outcome.TAKEN) {
            store.told(ids);
            held = List.of();
            failures = 0;
            complaints.over();
            return true;
        }
        figures.failed();
        if (verdict.outcome() == Outcome.REFUSED) {
            store.told(ids);
            held = List.of();
            figures.dropped(ids.size(), sent.refused());
            complaints.say("refused, and dropped: " + verdict.why());
            return true;
        }
        again = nanoTime.getAsLong() + FIRST_PAUSE.toNanos() * (1L << Math.min(failures++, MOST_DOUBLINGS));
        int given = forgotten();
        figures.dropped(given, 0);
        complaints.say("not taken, and sent again" + (given == 0 ? "" : "; those of " + given + " executions dropped")
                + ": " + verdict.why());
        return false;
    }

    private int forgotten() {
        int all = 0;
        int some;
        do {
            some = store.forget(bounds.patience(), PAGE);
            all += some;
        } while (some == PAGE);
        return all;
    }
}
