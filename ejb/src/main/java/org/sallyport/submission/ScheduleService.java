package org.sallyport.submission;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.ScheduleSettings;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.UnknownWriteRepeater;
import org.sallyport.schedule.NewSchedule;
import org.sallyport.schedule.SaveResult;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.Trigger;
import org.sallyport.tool.Json;

/** Creates and replaces schedules. Checks the run request in the same way as at the time of firing. Thread-safe. */
public final class ScheduleService {
    /** Label that holds the name of the schedule of an execution. */
    public static final String LABEL = "sallyport.schedule";

    /** How many times within {@link #CHECK_HORIZON} are checked against the minimum interval. */
    private static final int MAX_CHECKED_TIMES = 500;

    private static final Duration CHECK_HORIZON = Duration.ofDays(366);

    private final Configuration configuration;
    private final ExecutionFactory executionFactory;
    private final SubmissionService reception;
    private final ExecutionIdGenerator ids;
    private final ScheduleStore store;
    private final JobDispatcher dispatch;
    private final InstantSource clock;

    public ScheduleService(
            Configuration configuration,
            ExecutionFactory maker,
            SubmissionService reception,
            ExecutionIdGenerator ids,
            ScheduleStore store,
            JobDispatcher dispatch,
            InstantSource clock) {
        this.configuration = configuration;
        this.executionFactory = maker;
        this.reception = reception;
        this.ids = ids;
        this.store = store;
        this.dispatch = dispatch;
        this.clock = clock;
    }

    /** Stores a new schedule of the caller. Throws {@link InvalidSubmissionException}. */
    public CompletionStage<ScheduleSaveResult> create(Caller caller, ScheduleRequest request) {
        int maxSchedules = configuration.getInt(ScheduleSettings.MAX_PER_TENANT);
        ScheduleId id = new ScheduleId(ids.next().value());
        return checkAndSave(caller, id, request, schedule -> store.create(schedule, maxSchedules));
    }

    /** Replaces a schedule; the caller becomes its owner. Throws the exceptions of {@link #create}. */
    public CompletionStage<ScheduleSaveResult> replace(Caller caller, ScheduleId id, ScheduleRequest request) {
        return checkAndSave(caller, id, request, store::replace);
    }

    private CompletionStage<ScheduleSaveResult> checkAndSave(
            Caller caller, ScheduleId id, ScheduleRequest request, Function<NewSchedule, SaveResult> save) {
        checkInterval(request.timing());
        NewSchedule schedule = new NewSchedule(
                id,
                caller.tenant(),
                caller.id(),
                request.name(),
                request.timing(),
                request.overlap(),
                request.catchUp(),
                stored(request.work()),
                request.paused(),
                request.work() instanceof ScheduledWork.RowsBatch);
        return check(caller, request.work())
                .thenApply(refusal -> refusal.<ScheduleSaveResult>map(ScheduleSaveResult.ScheduleRefused::new)
                        .orElseGet(() -> toResult(schedule, save.apply(schedule))));
    }

    private static Json stored(ScheduledWork work) {
        return work instanceof ScheduledWork.SingleRun run
                ? RunRequestCodec.write(run.request())
                : ((ScheduledWork.RowsBatch) work).options();
    }

    /** The options of a batch were checked when they were read, and its rows are checked when they are uploaded. */
    private CompletionStage<Optional<SubmissionResult>> check(Caller caller, ScheduledWork work) {
        return work instanceof ScheduledWork.SingleRun run
                ? executionFactory.check(caller, run.request())
                : CompletableFuture.completedFuture(Optional.empty());
    }

    private ScheduleSaveResult toResult(NewSchedule schedule, SaveResult saved) {
        return switch (saved) {
            case STORED -> new ScheduleSaveResult.ScheduleStored(schedule.id());
            case NAME_TAKEN -> new ScheduleSaveResult.ScheduleNameTaken(schedule.name());
            case TOO_MANY ->
                new ScheduleSaveResult.TooManySchedules(configuration.getInt(ScheduleSettings.MAX_PER_TENANT));
            case MISSING -> new ScheduleSaveResult.ScheduleNotFound();
        };
    }

    private void checkInterval(Trigger timing) {
        Duration least = configuration.get(ScheduleSettings.MIN_INTERVAL);
        String member = timing instanceof Trigger.IntervalTrigger ? "everyMillis" : "cron";
        Instant now = clock.instant();
        Trigger written = timing.startingAt(now);
        Instant time = written.nextAfter(now);
        for (int i = 0; i < MAX_CHECKED_TIMES && time.isBefore(now.plus(CHECK_HORIZON)); i++) {
            Instant next = written.nextAfter(time);
            if (Duration.between(time, next).compareTo(least) < 0) {
                throw new InvalidSubmissionException(
                        member,
                        "has times less than " + least.toMillis() + " ms apart (the server's "
                                + ScheduleSettings.MIN_INTERVAL.name() + "): " + time + " and " + next);
            }
            time = next;
        }
    }

    /**
     * Runs the request of a schedule that runs no batch immediately and in the caller's name, regardless of its
     * concurrency policy. Behaves like {@link SubmissionService#submit}.
     */
    public CompletionStage<SubmissionResult> runNow(Caller caller, Schedule schedule) {
        return executionFactory.prepare(caller, runRequest(schedule)).thenApply(prepared -> {
            if (prepared instanceof PreparedExecution.ExecutionRefused refused) {
                return refused.refusal();
            }
            var execution = ((PreparedExecution.ExecutionReady) prepared).execution();
            SubmissionResult receipt = reception.withinQuota(
                    caller,
                    1,
                    () -> storeRun(schedule, execution),
                    SubmissionResult.SubmissionAccepted.class::isInstance,
                    refusal -> refusal);
            if (receipt instanceof SubmissionResult.SubmissionAccepted) {
                dispatch.enqueue(new ExecutionJob(execution.id(), execution.tenant(), execution.priority(), 0));
            }
            return receipt;
        });
    }

    private SubmissionResult storeRun(Schedule schedule, NewExecution execution) {
        try {
            return UnknownWriteRepeater.repeatIfUnknown(
                            () -> store.runNow(execution.tenant(), schedule.id(), execution))
                    ? new SubmissionResult.SubmissionAccepted(execution.id(), false)
                    : new SubmissionResult.OriginalExecutionNotFound();
        } catch (StoreUnavailableException e) {
            if (!e.maybeStored()) {
                throw e;
            }
            return new SubmissionResult.SubmissionOutcomeUnknown(execution.id());
        }
    }

    /** Returns the run request of a schedule, with the label {@link #LABEL}. */
    static RunRequest runRequest(Schedule schedule) {
        return RunRequestCodec.read(schedule.request(), Map.of(LABEL, schedule.name()));
    }
}
