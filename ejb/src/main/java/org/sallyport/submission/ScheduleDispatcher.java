package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.ScheduleSettings;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.ScheduleStore.DueSchedule;

/**
 * Starts the executions of schedules that are due by the store's clock, in the name of the schedule's owner and with
 * his current rights. Several nodes may poll at the same time. Not thread-safe: one thread per node uses it.
 */
public final class ScheduleDispatcher {
    private static final Logger LOG = System.getLogger(ScheduleDispatcher.class.getName());
    /** A request may have megabytes, so only a few schedules are in memory at the same time. */
    private static final int BATCH_SIZE = 8;

    private static final int MAX_ROUNDS = 500;
    private static final long PREPARE_TIMEOUT_SECONDS = 2;

    /** How soon a schedule that waits for an execution to end is checked again. */
    static final Duration WAIT_RECHECK_DELAY = Duration.ofSeconds(1);

    private final Configuration configuration;
    private final ScheduleStore store;
    private final ScheduleOwnerFinder owners;
    private final BiFunction<Caller, RunRequest, CompletionStage<PreparedExecution>> preparer;
    private final JobDispatcher dispatch;
    private final BiConsumer<String, FireResult.FireDeferred> cancel;
    private final ScheduledBatchQueue batches;
    private final ScheduleDelayRecorder delays;

    /**
     * @param cancel requests the cancellation of the previous runs of a tenant's schedule; called again until they have
     *     ended
     * @param batches submits the batches of schedules
     */
    public ScheduleDispatcher(
            Configuration configuration,
            ScheduleStore store,
            ScheduleOwnerFinder owners,
            ExecutionFactory maker,
            JobDispatcher dispatch,
            BiConsumer<String, FireResult.FireDeferred> cancel,
            ScheduledBatchRunner batches,
            ScheduleDelayRecorder delays) {
        this(configuration, store, owners, maker::prepare, dispatch, cancel, batches, delays);
    }

    /** @param preparer checks a request and makes an execution of it, see {@link ExecutionFactory#prepare} */
    ScheduleDispatcher(
            Configuration configuration,
            ScheduleStore store,
            ScheduleOwnerFinder owners,
            BiFunction<Caller, RunRequest, CompletionStage<PreparedExecution>> preparer,
            JobDispatcher dispatch,
            BiConsumer<String, FireResult.FireDeferred> cancel,
            ScheduledBatchQueue batches,
            ScheduleDelayRecorder delays) {
        this.configuration = configuration;
        this.store = store;
        this.owners = owners;
        this.preparer = preparer;
        this.dispatch = dispatch;
        this.cancel = cancel;
        this.batches = batches;
        this.delays = delays;
    }

    /** Handles all schedules that are due. Waits for the store and the sandbox. */
    public void fireDue() {
        try {
            int found = BATCH_SIZE;
            for (int round = 0; round < MAX_ROUNDS && found == BATCH_SIZE; round++) {
                List<DueSchedule> due = store.findDue(BATCH_SIZE);
                // If the page is full, all are tried: others could be behind those that are left to other nodes.
                boolean isFull = due.size() == BATCH_SIZE;
                due.stream()
                        .filter(each -> isFull || !delays.yields(each.schedule()))
                        .forEach(this::handleDue);
                found = due.size();
            }
            batches.startQueued();
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "due schedules cannot be started while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "due schedules could not be started; the next poll tries again", e);
        }
    }

    private void handleDue(DueSchedule due) {
        Schedule schedule = due.schedule();
        try {
            FireDecision turn = FireDecision.of(
                    schedule,
                    due.now(),
                    configuration.get(ScheduleSettings.MISFIRE_THRESHOLD),
                    configuration.getInt(ScheduleSettings.MAX_MISFIRES));
            if (turn instanceof FireDecision.SkipFire skip) {
                store.skip(schedule, skip, Schedule.SkipReason.LATE);
            } else if (turn instanceof FireDecision.FireNow run && schedule.runsBatch()) {
                queueBatch(schedule, run);
            } else if (turn instanceof FireDecision.FireNow run) {
                run(schedule, run);
            }
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "schedule " + schedule.id() + " could not be started; it is tried again", e);
            delays.delayAfterFailure(schedule);
        }
    }

    /** Queues a time that is not late for a node with a free slot; skips it if no rows are stored. */
    private void queueBatch(Schedule schedule, FireDecision.FireNow turn) {
        if (schedule.rows().isEmpty()) {
            store.skip(schedule, new FireDecision.SkipFire(turn.at(), turn.nextDueAt()), Schedule.SkipReason.NO_ROWS);
        } else {
            batches.queue(schedule);
        }
    }

    private void run(Schedule schedule, FireDecision.FireNow turn) {
        Optional<Caller> owner = owners.find(schedule);
        if (owner.isPresent()) {
            Optional<PreparedExecution> prepared = prepare(schedule, owner.get());
            if (prepared.isEmpty()) {
                delays.delay(schedule, "no sandbox can check its script now");
            } else if (prepared.get() instanceof PreparedExecution.ExecutionRefused refused) {
                delays.handleRefusal(schedule, refused.refusal());
            } else if (prepared.get() instanceof PreparedExecution.ExecutionReady ready) {
                fire(schedule, turn, ready);
            }
        }
    }

    /** Returns empty when the request cannot be prepared now; the schedule is then tried again later. */
    private Optional<PreparedExecution> prepare(Schedule schedule, Caller owner) {
        try {
            return Optional.of(preparer.apply(owner, ScheduleService.runRequest(schedule))
                    .toCompletableFuture()
                    .get(PREPARE_TIMEOUT_SECONDS, TimeUnit.SECONDS));
        } catch (InvalidSubmissionException e) {
            return Optional.of(new PreparedExecution.ExecutionRefused(
                    new SubmissionResult.SubmissionForbidden("'" + e.member() + "' " + e.getMessage())));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private void fire(Schedule schedule, FireDecision.FireNow turn, PreparedExecution.ExecutionReady ready) {
        FireResult fired = store.fire(schedule, turn, ready.execution(), WAIT_RECHECK_DELAY);
        if (fired instanceof FireResult.ScheduleFired begun) {
            Failpoint.ACCEPTED.reached(begun.job().id());
            dispatch.enqueue(begun.job());
        } else if (fired instanceof FireResult.FireDeferred held
                && schedule.concurrencyPolicy() == ConcurrencyPolicy.CANCEL_PREVIOUS) {
            cancel.accept(schedule.tenant(), held);
        }
    }
}
