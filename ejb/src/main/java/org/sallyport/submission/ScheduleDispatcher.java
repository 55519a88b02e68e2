package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.ScheduleSettings;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.FireDecision;
import org.sallyport.schedule.FireResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.ScheduleStore.DueSchedule;

/**
 * Starts the executions of schedules that are due by the store's clock, in the name of the schedule's owner and with
 * his current rights. Several nodes may poll at the same time. Not thread-safe: one thread per node uses it.
 */
public final class ScheduleDispatcher {
    private static final Logger LOG = System.getLogger(ScheduleDispatcher.class.getName());
    private static final int BATCH_SIZE = 200;
    private static final int MAX_ROUNDS = 20;
    private static final long PREPARE_TIMEOUT_SECONDS = 2;
    private static final int MAX_LOGGED_POSTPONEMENTS = 1_000;

    /** How soon a schedule that waits for an execution to end is checked again. */
    private static final Duration WAIT_RECHECK_DELAY = Duration.ofSeconds(1);

    private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    /** The due times whose postponement was logged. */
    private final Map<ScheduleId, Instant> postponedDueTimes = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ScheduleId, Instant> eldest) {
            return size() > MAX_LOGGED_POSTPONEMENTS;
        }
    };

    private final Configuration configuration;
    private final ScheduleStore store;
    private final ApiKeyService keys;
    private final ExecutionFactory executionFactory;
    private final JobDispatcher dispatch;
    private final BiConsumer<String, ExecutionId> cancel;

    /**
     * @param cancel requests the cancellation of an execution of a tenant; called again until the execution has ended
     */
    public ScheduleDispatcher(
            Configuration configuration,
            ScheduleStore store,
            ApiKeyService keys,
            ExecutionFactory maker,
            JobDispatcher dispatch,
            BiConsumer<String, ExecutionId> cancel) {
        this.configuration = configuration;
        this.store = store;
        this.keys = keys;
        this.executionFactory = maker;
        this.dispatch = dispatch;
        this.cancel = cancel;
    }

    /** Handles all schedules that are due. Waits for the store and the sandbox. */
    public void fireDue() {
        try {
            int found = BATCH_SIZE;
            for (int round = 0; round < MAX_ROUNDS && found == BATCH_SIZE; round++) {
                List<DueSchedule> due = store.findDue(BATCH_SIZE);
                due.forEach(this::handleDue);
                found = due.size();
            }
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
                store.skip(schedule, skip);
            } else if (turn instanceof FireDecision.FireNow run) {
                run(schedule, run);
            }
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "schedule " + schedule.id() + " could not be started; it is tried again", e);
            store.postpone(schedule, RETRY_DELAY);
        }
    }

    private void run(Schedule schedule, FireDecision.FireNow turn) {
        Optional<Caller> owner = keys.findCaller(schedule.owner())
                .filter(caller -> caller.tenant().equals(schedule.tenant()));
        if (owner.isEmpty()) {
            stop(schedule, "the key of its owner is no longer valid");
        } else if (!owner.get().roles().contains(Role.SUBMITTER)
                && !owner.get().roles().contains(Role.ADMIN)) {
            stop(schedule, "the key of its owner may no longer submit");
        } else {
            Optional<PreparedExecution> prepared = prepare(schedule, owner.get());
            if (prepared.isEmpty()) {
                store.postpone(schedule, RETRY_DELAY);
            } else if (prepared.get() instanceof PreparedExecution.ExecutionRefused refused) {
                stop(schedule, RejectionMessages.describe(refused.refusal()));
            } else if (prepared.get() instanceof PreparedExecution.ExecutionReady ready) {
                fire(schedule, turn, ready);
            }
        }
    }

    /** Returns empty when the request cannot be prepared now; the schedule is then tried again later. */
    private Optional<PreparedExecution> prepare(Schedule schedule, Caller owner) {
        try {
            PreparedExecution prepared = executionFactory
                    .prepare(owner, ScheduleService.runRequest(schedule))
                    .toCompletableFuture()
                    .get(PREPARE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (prepared instanceof PreparedExecution.ExecutionRefused refused && mayPass(refused.refusal())) {
                logPostponement(schedule, refused.refusal());
                return Optional.empty();
            }
            return Optional.of(prepared);
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

    /**
     * Returns whether a refusal may pass without a change of the schedule. The script was accepted before, so a syntax
     * error without a line means that the check failed, not the script. A backend can miss a tool for a while, for
     * example while it is updated, and one node can have another configuration than the others.
     */
    static boolean mayPass(SubmissionResult refusal) {
        return refusal instanceof SubmissionResult.ScriptCheckUnavailable
                || refusal instanceof SubmissionResult.ToolsMissing
                || refusal instanceof SubmissionResult.SandboxNotAllowed
                || refusal instanceof SubmissionResult.InvalidScriptSyntax bad && bad.line() == 0;
    }

    /** Logs once for each due time of a schedule, although it is tried again every few seconds. */
    private void logPostponement(Schedule schedule, SubmissionResult refusal) {
        if (!schedule.dueAt().equals(postponedDueTimes.put(schedule.id(), schedule.dueAt()))) {
            LOG.log(
                    Level.WARNING,
                    "schedule {0} cannot start its execution now and is tried again every {1} seconds: {2}",
                    schedule.id(),
                    RETRY_DELAY.toSeconds(),
                    RejectionMessages.describe(refusal));
        }
    }

    private void fire(Schedule schedule, FireDecision.FireNow turn, PreparedExecution.ExecutionReady ready) {
        FireResult fired = store.fire(schedule, turn, ready.execution(), WAIT_RECHECK_DELAY);
        if (fired instanceof FireResult.ScheduleFired begun) {
            Failpoint.ACCEPTED.reached(begun.job().id());
            dispatch.enqueue(begun.job());
        } else if (fired instanceof FireResult.FireDeferred held
                && schedule.concurrencyPolicy() == ConcurrencyPolicy.CANCEL_PREVIOUS) {
            held.waitingFor().forEach(id -> cancel.accept(schedule.tenant(), id));
        }
    }

    private void stop(Schedule schedule, String reason) {
        LOG.log(Level.WARNING, "schedule {0} is paused: {1}", schedule.id(), reason);
        store.pauseIfUnchanged(schedule, reason);
    }
}
