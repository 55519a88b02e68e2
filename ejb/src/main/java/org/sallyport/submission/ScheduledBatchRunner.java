package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.sallyport.auth.Caller;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;

/**
 * Submits the batches of schedules that are due, a few at the same time, on threads of its own: a large file takes
 * seconds, and other schedules must not wait for it. Thread-safe.
 */
public final class ScheduledBatchRunner {
    private static final Logger LOG = System.getLogger(ScheduledBatchRunner.class.getName());
    private static final int MAX_CONCURRENT = 2;

    private final ScheduledBatchService service;
    private final ScheduleObstacles obstacles;
    private final BiConsumer<String, BatchId> cancel;
    private final Executor executor;
    private final Set<ScheduleId> running = ConcurrentHashMap.newKeySet();

    /**
     * @param cancel requests the cancellation of a batch of a tenant; called again until the batch has ended
     * @param executor runs the blocking work
     */
    public ScheduledBatchRunner(
            ScheduledBatchService service,
            ScheduleStore store,
            BiConsumer<String, BatchId> cancel,
            Executor executor,
            RandomGenerator random) {
        this.service = service;
        this.obstacles = new ScheduleObstacles(store, random);
        this.cancel = cancel;
        this.executor = executor;
    }

    /**
     * Claims a due time and submits its batch in the background. Does nothing if this node is busy; the schedule stays
     * due then. Called by one thread.
     */
    void start(Schedule schedule, FireDecision.FireNow turn, Caller owner) {
        if (!service.isReady() || running.size() >= MAX_CONCURRENT || !running.add(schedule.id())) {
            return;
        }
        boolean handedOver = false;
        try {
            FireResult claimed = service.claim(schedule, turn, ScheduleDispatcher.WAIT_RECHECK_DELAY);
            if (claimed instanceof FireResult.BatchClaimed) {
                executor.execute(() -> fire(schedule, turn, owner));
                handedOver = true;
            } else if (claimed instanceof FireResult.BatchDeferred held
                    && schedule.concurrencyPolicy() == ConcurrencyPolicy.CANCEL_PREVIOUS) {
                held.waitingFor().forEach(batch -> cancel.accept(schedule.tenant(), batch));
            }
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "this node is shutting down; another one submits the batch of a schedule", e);
        } finally {
            if (!handedOver) {
                running.remove(schedule.id());
            }
        }
    }

    private void fire(Schedule schedule, FireDecision.FireNow turn, Caller owner) {
        try {
            handle(schedule, service.fire(schedule, turn, owner));
        } catch (ScheduledRowsRefusedException e) {
            obstacles.stop(schedule, String.valueOf(e.getMessage()));
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "a batch of a schedule cannot be stored while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the batch of schedule " + schedule.id() + " failed; it is tried again", e);
            obstacles.delayAfterFailure(schedule);
        } finally {
            running.remove(schedule.id());
        }
    }

    private void handle(Schedule schedule, BatchSubmissionResult result) {
        if (result instanceof BatchSubmissionResult.WrongBatchSize size) {
            obstacles.stop(
                    schedule, "its file has " + size.count() + " rows or more; a batch has from 1 to " + size.max());
        } else if (result instanceof BatchSubmissionResult.BatchRefused refused) {
            obstacles.stop(
                    schedule, refused.problems().size() + " of its rows cannot be accepted, and the batch is atomic");
        } else if (result instanceof BatchSubmissionResult.BatchServiceBusy) {
            obstacles.delay(schedule, "the service stores other batches");
        } else if (result instanceof BatchSubmissionResult.RefusedAsSubmission refused) {
            String reason = RejectionMessages.describe(refused.refusal());
            if (isTransient(refused.refusal())) {
                obstacles.delay(schedule, reason);
            } else {
                obstacles.stop(schedule, reason);
            }
        }
    }

    private static boolean isTransient(SubmissionResult refusal) {
        return refusal instanceof SubmissionResult.TenantQueueFull
                || refusal instanceof SubmissionResult.TenantQuotaExceeded
                || refusal instanceof SubmissionResult.ScriptCheckUnavailable
                || refusal instanceof SubmissionResult.VariablesNotSet unset && unset.isTransient();
    }
}
