package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.sallyport.auth.Caller;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleBatchStore;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore.DueSchedule;

/**
 * Submits the batches of schedules that are due, a few at the same time, on threads of its own: a large file takes
 * seconds, and other schedules must not wait for it. The tenants take turns. One thread calls {@link #queue} and
 * {@link #startQueued}; {@link #renewClaims} is thread-safe.
 */
public final class ScheduledBatchRunner implements ScheduledBatchQueue {
    /** How many batches a node submits at the same time, and the number of threads that it needs. */
    public static final int MAX_CONCURRENT = 2;

    /** How long other nodes leave a claimed time alone, if the node that claimed it died. */
    static final Duration CLAIM_TIME = Duration.ofSeconds(30);

    /** How often {@link #renewClaims} is to be called. */
    public static final Duration RENEWAL_INTERVAL = CLAIM_TIME.dividedBy(3);

    private static final Logger LOG = System.getLogger(ScheduledBatchRunner.class.getName());
    private static final String DATABASE_UNAVAILABLE = "the database did not answer while its batch was stored";
    /** A request may have megabytes, so only a few schedules are in memory at the same time. */
    private static final int PAGE_SIZE = 8;

    private static final int MAX_CLAIMS = 100;

    private final ScheduleBatchStore store;
    private final BatchSubmitter submitter;
    private final BooleanSupplier isReady;
    private final ScheduleOwnerFinder owners;
    private final ScheduleDelayRecorder delays;
    private final int maxMisfires;
    private final BiConsumer<String, FireResult.FireDeferred> cancel;
    private final Executor executor;
    private final Set<ScheduleId> busy = ConcurrentHashMap.newKeySet();
    private final Map<ScheduleId, Schedule> claims = new ConcurrentHashMap<>();
    private String lastTenant = "";

    /** Submits the batch of a claimed time, see {@link ScheduledBatchService#fire}. */
    @FunctionalInterface
    interface BatchSubmitter {
        BatchSubmissionResult submit(Schedule schedule, FireDecision.FireNow turn, Caller owner);
    }

    /**
     * @param maxMisfires maximum number of missed times to make up for
     * @param cancel requests the cancellation of the previous runs of a tenant's schedule; called again until they have
     *     ended
     * @param executor has {@link #MAX_CONCURRENT} threads of its own for the blocking work
     */
    public ScheduledBatchRunner(
            ScheduleBatchStore store,
            ScheduledBatchService service,
            ScheduleOwnerFinder owners,
            ScheduleDelayRecorder delays,
            int maxMisfires,
            BiConsumer<String, FireResult.FireDeferred> cancel,
            Executor executor) {
        this(store, service::fire, service::isReady, owners, delays, maxMisfires, cancel, executor);
    }

    /** @param isReady whether this node can submit batches already */
    ScheduledBatchRunner(
            ScheduleBatchStore store,
            BatchSubmitter submitter,
            BooleanSupplier isReady,
            ScheduleOwnerFinder owners,
            ScheduleDelayRecorder delays,
            int maxMisfires,
            BiConsumer<String, FireResult.FireDeferred> cancel,
            Executor executor) {
        this.store = store;
        this.submitter = submitter;
        this.isReady = isReady;
        this.owners = owners;
        this.delays = delays;
        this.maxMisfires = maxMisfires;
        this.cancel = cancel;
        this.executor = executor;
    }

    @Override
    public void queue(Schedule schedule) {
        store.queue(schedule);
    }

    @Override
    public void startQueued() {
        Set<ScheduleId> tried = new HashSet<>();
        while (tried.size() < MAX_CLAIMS && isReady.getAsBoolean() && busy.size() < MAX_CONCURRENT) {
            Optional<DueSchedule> next = findNext(lastTenant, tried).or(() -> findNext("", tried));
            if (next.isEmpty()) {
                return;
            }
            Schedule schedule = next.get().schedule();
            lastTenant = schedule.tenant();
            tried.add(schedule.id());
            try {
                owners.find(schedule)
                        .ifPresent(owner -> start(
                                schedule,
                                FireDecision.ofQueued(schedule, next.get().now(), maxMisfires),
                                owner));
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "schedule " + schedule.id() + " could not be started; it is tried again", e);
                delays.delayAfterFailure(schedule);
            }
        }
    }

    private Optional<DueSchedule> findNext(String afterTenant, Set<ScheduleId> tried) {
        List<DueSchedule> queued = store.findQueued(afterTenant, PAGE_SIZE);
        List<DueSchedule> open = queued.stream()
                .filter(due -> !busy.contains(due.schedule().id())
                        && !tried.contains(due.schedule().id()))
                .toList();
        // If the page has only times that this node leaves to others, it takes them: others could be behind them.
        boolean takesAll = queued.size() == PAGE_SIZE && open.stream().allMatch(due -> delays.yields(due.schedule()));
        return open.stream()
                .filter(due -> takesAll || !delays.yields(due.schedule()))
                .findFirst();
    }

    private void start(Schedule schedule, FireDecision.FireNow turn, Caller owner) {
        FireResult claimed = store.claim(schedule, turn, ScheduleDispatcher.WAIT_RECHECK_DELAY, CLAIM_TIME);
        if (claimed instanceof FireResult.BatchClaimed) {
            claims.put(schedule.id(), schedule);
            execute(schedule, () -> fire(schedule, turn, owner));
        } else if (claimed instanceof FireResult.FireDeferred held
                && schedule.concurrencyPolicy() == ConcurrencyPolicy.CANCEL_PREVIOUS) {
            execute(schedule, () -> cancel.accept(schedule.tenant(), held));
        }
    }

    private void execute(Schedule schedule, Runnable work) {
        busy.add(schedule.id());
        try {
            executor.execute(() -> {
                try {
                    work.run();
                } catch (StoreUnavailableException e) {
                    LOG.log(Level.DEBUG, "the database is unavailable; schedule " + schedule.id() + " is due again", e);
                } catch (RuntimeException e) {
                    LOG.log(Level.ERROR, "schedule " + schedule.id() + " failed; it is tried again", e);
                } finally {
                    claims.remove(schedule.id());
                    busy.remove(schedule.id());
                }
            });
        } catch (RejectedExecutionException e) {
            claims.remove(schedule.id());
            busy.remove(schedule.id());
            store.renewClaim(schedule, Duration.ZERO);
            LOG.log(Level.DEBUG, "this node is shutting down; another one handles schedule " + schedule.id(), e);
        }
    }

    /** Keeps other nodes from doing the work of this node a second time. Waits for the store. */
    public synchronized void renewClaims() {
        try {
            claims.values().forEach(schedule -> store.renewClaim(schedule, CLAIM_TIME));
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "claims cannot be renewed while the database is unavailable", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "claims could not be renewed; the next call tries again", e);
        }
    }

    /** Afterwards, {@link #renewClaims} does not undo what is recorded about the schedule. */
    private synchronized void endRenewal(Schedule schedule) {
        claims.remove(schedule.id());
    }

    private void fire(Schedule schedule, FireDecision.FireNow turn, Caller owner) {
        try {
            handle(schedule, submit(schedule, turn, owner));
        } catch (ScheduledRowsRefusedException e) {
            delays.stop(schedule, String.valueOf(e.getMessage()));
        } catch (StoreUnavailableException e) {
            LOG.log(
                    Level.WARNING,
                    "the database did not answer while the batch of schedule " + schedule.id()
                            + " was stored; unless it was stored, it is tried again",
                    e);
            delays.delay(schedule, DATABASE_UNAVAILABLE);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the batch of schedule " + schedule.id() + " failed; it is tried again", e);
            delays.delayAfterFailure(schedule);
        }
    }

    private BatchSubmissionResult submit(Schedule schedule, FireDecision.FireNow turn, Caller owner) {
        try {
            return submitter.submit(schedule, turn, owner);
        } finally {
            endRenewal(schedule);
        }
    }

    private void handle(Schedule schedule, BatchSubmissionResult result) {
        if (result instanceof BatchSubmissionResult.BatchSuperseded) {
            LOG.log(Level.DEBUG, "schedule {0} was changed or handled; its batch is not stored", schedule.id());
            store.renewClaim(schedule, Duration.ZERO);
        } else if (result instanceof BatchSubmissionResult.WrongBatchSize size) {
            delays.stop(
                    schedule, "its file has " + size.count() + " rows or more; a batch has from 1 to " + size.max());
        } else if (result instanceof BatchSubmissionResult.BatchRefused refused) {
            delays.stop(
                    schedule, refused.problems().size() + " of its rows cannot be accepted, and the batch is atomic");
        } else if (result instanceof BatchSubmissionResult.BatchAboveQuota above) {
            delays.stop(
                    schedule,
                    "its batch has " + above.runs() + " executions, and a quota of the tenant allows at most "
                            + above.limit());
        } else if (result instanceof BatchSubmissionResult.BatchOutcomeUnknown unknown) {
            LOG.log(
                    Level.WARNING,
                    "the database did not answer while batch {0} of schedule {1} was stored; unless it was stored, it"
                            + " is tried again",
                    unknown.id(),
                    schedule.id());
            delays.delay(schedule, DATABASE_UNAVAILABLE);
        } else if (result instanceof BatchSubmissionResult.BatchServiceBusy) {
            delays.delay(schedule, "the service stores other batches");
        } else if (result instanceof BatchSubmissionResult.RefusedAsSubmission refused) {
            delays.handleRefusal(schedule, refused.refusal());
        }
    }
}
