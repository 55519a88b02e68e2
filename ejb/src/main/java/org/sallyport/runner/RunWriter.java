package org.sallyport.runner;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Parking;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.journal.Entries;

/** Writes what a run notes: soon, before an effect leaves, and at the end. Waits for a store that is away. */
final class RunWriter {
    private static final Logger LOG = System.getLogger(RunWriter.class.getName());
    private static final long RETRY_MILLIS = 500;
    /** A script may call faster than its calls are decided on: what it says is written nevertheless. */
    private static final int MOST_PUT_OFF = 10;

    private final Fence fence;
    private final boolean durable;
    private final RunContext context;
    private final EntryBuffer entries;
    private final Executor tasks;
    private final BooleanSupplier over;
    private final Runnable taken;
    private final AtomicBoolean flushDue = new AtomicBoolean();
    /** How often the flush that is due was put off; of the tasks alone. */
    private int putOff;

    private final Instant acceptedAt;
    private final long begun = System.nanoTime();

    /**
     * @param tasks runs what may wait for the store, in order
     * @param over whether nothing of the run may leave any more
     * @param taken called when somebody else owns the execution
     */
    RunWriter(
            Claim claim,
            RunContext context,
            EntryBuffer entries,
            Executor tasks,
            BooleanSupplier over,
            Runnable taken) {
        this.fence = claim.fence();
        this.acceptedAt = claim.createdAt();
        this.durable = claim.durability() == Durability.JOURNAL;
        this.context = context;
        this.entries = entries;
        this.tasks = tasks;
        this.over = over;
        this.taken = taken;
    }

    /** Writes in a while, together with what comes until then. */
    void soon() {
        if (flushDue.compareAndSet(false, true)) {
            context.scheduler()
                    .schedule(
                            () -> tasks.execute(this::flush),
                            context.limits().flush().toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    private void flush() {
        flushDue.set(false);
        if (over.getAsBoolean()) {
            return; // what is left goes with the final commit
        }
        if (!entries.isDecided() && ++putOff < MOST_PUT_OFF) {
            soon();
            return;
        }
        putOff = 0;
        try {
            write();
        } catch (StoreUnavailableException e) {
            soon();
        }
    }

    /** Whether all that came before is stored, so that an effect may leave; false when it must not. Waits for the store. */
    boolean beforeEffect() {
        return durable ? stored() : !over.getAsBoolean();
    }

    /** As {@link #beforeEffect}, however long the run lasts: rules for what is nested look at what was called above. */
    boolean beforeNesting() {
        return stored();
    }

    private boolean stored() {
        while (!over.getAsBoolean()) {
            try {
                return write();
            } catch (StoreUnavailableException e) {
                if (!pause()) {
                    return false;
                }
            }
        }
        return false;
    }

    /** Waits a moment before the store is asked again; false when nothing is to be waited for any more. */
    static boolean pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean write() {
        Entries unwritten = entries.take();
        if (entries.isEmpty() && unwritten.isEmpty()) {
            return true;
        }
        if (!context.journal().append(fence, unwritten)) {
            LOG.log(Level.INFO, "execution {0} is held by somebody else now; this run stops", fence);
            taken.run();
            return false;
        }
        entries.written();
        return true;
    }

    /**
     * Writes the end; {@code afterwards} is told whether it is written, or false when it never will be. One that no store
     * takes is written as a failure of the service; if need be without the entries that came before it.
     */
    void finish(Outcome outcome, Consumer<Boolean> afterwards) {
        Failpoint.ENDED.reached(fence);
        Outcome failed =
                Outcomes.failed(ErrorCode.INTERNAL_ERROR, "the end of the script could not be stored as it was");
        Supplier<Entries> rest = entries::take;
        finish(List.of(new End(outcome, rest), new End(failed, rest), new End(failed, () -> Entries.NONE)), afterwards);
    }

    /** One way to say how it ended. */
    private record End(Outcome outcome, Supplier<Entries> entries) {}

    /** @param ways the first that the store takes is written */
    private void finish(List<End> ways, Consumer<Boolean> afterwards) {
        End end = ways.get(0);
        boolean written = false;
        try {
            Optional<ExecutionState> ended =
                    context.journal().finish(fence, end.outcome(), end.entries().get());
            ended.ifPresent(this::tell);
            written = ended.isPresent();
            if (!written) {
                LOG.log(Level.INFO, "execution {0} had ended or was taken before this run ended", fence);
            }
        } catch (StoreUnavailableException e) {
            // The outcome exists only here: keep trying for as long as this node lives.
            retry(() -> finish(ways, afterwards));
            return;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + fence + ": its end could not be written", e);
            if (ways.size() > 1) {
                finish(ways.subList(1, ways.size()), afterwards);
                return;
            }
        }
        afterwards.accept(written);
    }

    private void tell(ExecutionState state) {
        context.watch()
                .listener()
                .ended(
                        state,
                        Duration.between(acceptedAt, context.clock().instant()),
                        Duration.ofNanos(System.nanoTime() - begun));
    }

    /** Parks the execution; {@code afterwards} is told what became of that. */
    void park(Parking parking, Consumer<Parking.Answer> afterwards) {
        leave(
                () -> context.journal().park(fence, entries.takeWith(ExecutionState.WAITING, fence.attempt()), parking),
                Parking.Answer.NOT_HELD,
                afterwards);
    }

    /** Gives the execution back; {@code afterwards} is told whether that was possible. */
    void release(Consumer<Boolean> afterwards) {
        leave(
                () -> context.journal().release(fence, entries.takeWith(ExecutionState.PENDING, fence.attempt())),
                false,
                afterwards);
    }

    private <T> void leave(Supplier<T> write, T failed, Consumer<T> afterwards) {
        T left = failed;
        try {
            left = write.get();
        } catch (StoreUnavailableException e) {
            retry(() -> leave(write, failed, afterwards));
            return;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "execution " + fence + ": it could not be given back", e);
        }
        afterwards.accept(left);
    }

    private void retry(Runnable work) {
        context.scheduler().schedule(() -> tasks.execute(work), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
}
