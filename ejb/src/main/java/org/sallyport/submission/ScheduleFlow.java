package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.sallyport.access.Caller;
import org.sallyport.access.Keys;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.ScheduleSettings;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.schedule.Fired;
import org.sallyport.schedule.Overlap;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.ScheduleStore.Due;
import org.sallyport.schedule.Turn;

/**
 * Has executions begin when their time has come by the store's clock, in the names of the schedules' owners and with their rights as
 * they are then. Any number of nodes may look at the same time. Used by one thread.
 */
public final class ScheduleFlow {
    private static final Logger LOG = System.getLogger(ScheduleFlow.class.getName());
    private static final int AT_ONCE = 200;
    private static final int ROUNDS = 20;
    private static final long PATIENCE_SECONDS = 2;

    /** How soon what waits for an execution to end is looked at again. */
    private static final Duration HOLD = Duration.ofSeconds(1);

    private static final Duration LATER = Duration.ofSeconds(5);

    private final Configuration configuration;
    private final ScheduleStore store;
    private final Keys keys;
    private final RunMaker maker;
    private final JobDispatch dispatch;
    private final BiConsumer<String, ExecutionId> cancel;

    /** @param cancel asks to cancel an execution of a tenant; asked again while it has not ended */
    public ScheduleFlow(
            Configuration configuration,
            ScheduleStore store,
            Keys keys,
            RunMaker maker,
            JobDispatch dispatch,
            BiConsumer<String, ExecutionId> cancel) {
        this.configuration = configuration;
        this.store = store;
        this.keys = keys;
        this.maker = maker;
        this.dispatch = dispatch;
        this.cancel = cancel;
    }

    /** Sees to all that is due. Waits for the store and the sandbox. */
    public void look() {
        try {
            int found = AT_ONCE;
            for (int round = 0; round < ROUNDS && found == AT_ONCE; round++) {
                List<Due> due = store.due(AT_ONCE);
                due.forEach(this::see);
                found = due.size();
            }
        } catch (StoreUnavailableException e) {
            LOG.log(Level.DEBUG, "schedules cannot be seen to now", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "schedules could not be seen to; the next look tries again", e);
        }
    }

    private void see(Due due) {
        Schedule schedule = due.schedule();
        try {
            Turn turn = Turn.of(
                    schedule,
                    due.now(),
                    configuration.get(ScheduleSettings.GRACE),
                    configuration.integer(ScheduleSettings.CATCH_UP));
            if (turn instanceof Turn.Leave leave) {
                store.leave(schedule, leave);
            } else if (turn instanceof Turn.Run run) {
                run(schedule, run);
            }
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "schedule " + schedule.id() + " could not be seen to; it is tried again", e);
            store.later(schedule, LATER);
        }
    }

    private void run(Schedule schedule, Turn.Run turn) {
        Optional<Caller> owner =
                keys.bearer(schedule.owner()).filter(caller -> caller.tenant().equals(schedule.tenant()));
        if (owner.isEmpty()) {
            stop(schedule, "the key of its owner works no more");
        } else if (!owner.get().roles().contains(Role.SUBMITTER)
                && !owner.get().roles().contains(Role.ADMIN)) {
            stop(schedule, "the key of its owner may not submit any more");
        } else {
            Optional<MadeRun> made = made(schedule, owner.get());
            if (made.isEmpty()) {
                store.later(schedule, LATER);
            } else if (made.get() instanceof MadeRun.Refused refused) {
                stop(schedule, Refusals.text(refused.why()));
            } else if (made.get() instanceof MadeRun.Ready ready) {
                fire(schedule, turn, ready);
            }
        }
    }

    /** Empty when that cannot be said now. */
    private Optional<MadeRun> made(Schedule schedule, Caller owner) {
        try {
            MadeRun made = maker.make(owner, Schedules.request(schedule))
                    .toCompletableFuture()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            // A script that was accepted once and has no line that is wrong now: its reader failed, not it.
            boolean notNow = made instanceof MadeRun.Refused refused
                    && (refused.why() instanceof Receipt.Unavailable
                            || refused.why() instanceof Receipt.BadSyntax bad && bad.line() == 0);
            return notNow ? Optional.empty() : Optional.of(made);
        } catch (InvalidSubmissionException e) {
            return Optional.of(new MadeRun.Refused(new Receipt.Forbidden("'" + e.member() + "' " + e.getMessage())));
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

    private void fire(Schedule schedule, Turn.Run turn, MadeRun.Ready ready) {
        Fired fired = store.fire(schedule, turn, ready.execution(), HOLD);
        if (fired instanceof Fired.Begun begun) {
            Failpoint.ACCEPTED.reached(begun.job().id());
            dispatch.send(begun.job());
        } else if (fired instanceof Fired.Held held && schedule.overlap() == Overlap.CANCEL_PREVIOUS) {
            held.by().forEach(id -> cancel.accept(schedule.tenant(), id));
        }
    }

    private void stop(Schedule schedule, String reason) {
        LOG.log(Level.WARNING, "schedule {0} is paused: {1}", schedule.id(), reason);
        store.stop(schedule, reason);
    }
}
