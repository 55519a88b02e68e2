package org.sallyport.submission;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.ScheduleSettings;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.PendingJob;
import org.sallyport.schedule.NewSchedule;
import org.sallyport.schedule.Saved;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleId;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.Timing;

/** Accepts schedules: what is to run is checked now as it will be when its time comes. Thread-safe. */
public final class Schedules {
    /** Names the schedule of an execution. */
    public static final String LABEL = "sallyport.schedule";

    /** Of a year of times that are checked for standing too near to each other. */
    private static final int CHECKED = 500;

    private static final Duration CHECKED_AHEAD = Duration.ofDays(366);

    private final Configuration configuration;
    private final RunMaker maker;
    private final Reception reception;
    private final ExecutionIds ids;
    private final ScheduleStore store;
    private final JobDispatch dispatch;
    private final InstantSource clock;

    public Schedules(
            Configuration configuration,
            RunMaker maker,
            Reception reception,
            ExecutionIds ids,
            ScheduleStore store,
            JobDispatch dispatch,
            InstantSource clock) {
        this.configuration = configuration;
        this.maker = maker;
        this.reception = reception;
        this.ids = ids;
        this.store = store;
        this.dispatch = dispatch;
        this.clock = clock;
    }

    /** Stores a schedule of the caller's. Throws {@link InvalidSubmissionException}. */
    public CompletionStage<ScheduleReceipt> create(Caller caller, ScheduleRequest request) {
        int most = configuration.integer(ScheduleSettings.MOST);
        ScheduleId id = new ScheduleId(ids.next().value());
        return checked(caller, id, request, schedule -> store.create(schedule, most));
    }

    /** Stores it in place of another, as the caller's. Throws as {@link #create}. */
    public CompletionStage<ScheduleReceipt> replace(Caller caller, ScheduleId id, ScheduleRequest request) {
        return checked(caller, id, request, store::replace);
    }

    private CompletionStage<ScheduleReceipt> checked(
            Caller caller, ScheduleId id, ScheduleRequest request, Function<NewSchedule, Saved> save) {
        checkInterval(request.timing());
        NewSchedule schedule = new NewSchedule(
                id,
                caller.tenant(),
                caller.keyId(),
                request.name(),
                request.timing(),
                request.overlap(),
                request.catchUp(),
                RequestJson.write(request.run()),
                request.paused());
        return maker.check(caller, request.run())
                .thenApply(refusal -> refusal.<ScheduleReceipt>map(ScheduleReceipt.Refused::new)
                        .orElseGet(() -> receipt(schedule, save.apply(schedule))));
    }

    private ScheduleReceipt receipt(NewSchedule schedule, Saved saved) {
        return switch (saved) {
            case STORED -> new ScheduleReceipt.Stored(schedule.id());
            case NAME_TAKEN -> new ScheduleReceipt.NameTaken(schedule.name());
            case TOO_MANY -> new ScheduleReceipt.TooMany(configuration.integer(ScheduleSettings.MOST));
            case MISSING -> new ScheduleReceipt.Missing();
        };
    }

    private void checkInterval(Timing timing) {
        Duration least = configuration.get(ScheduleSettings.LEAST_INTERVAL);
        String member = timing instanceof Timing.Every ? "everyMillis" : "cron";
        Instant now = clock.instant();
        Timing written = timing.writtenAt(now);
        Instant time = written.next(now);
        for (int i = 0; i < CHECKED && time.isBefore(now.plus(CHECKED_AHEAD)); i++) {
            Instant next = written.next(time);
            if (Duration.between(time, next).compareTo(least) < 0) {
                throw new InvalidSubmissionException(
                        member,
                        "has times less than " + least.toMillis() + " ms from each other (the server's "
                                + ScheduleSettings.LEAST_INTERVAL.name() + "): " + time + " and " + next);
            }
            time = next;
        }
    }

    /** Runs what a schedule runs, now and in the caller's name, whatever else of it runs. As {@link Reception#accept}. */
    public CompletionStage<Receipt> run(Caller caller, Schedule schedule) {
        return maker.make(caller, request(schedule)).thenApply(made -> {
            if (made instanceof MadeRun.Refused refused) {
                return refused.why();
            }
            var execution = ((MadeRun.Ready) made).execution();
            Receipt receipt = reception.queued(
                    caller,
                    1,
                    () -> store.run(caller.tenant(), schedule.id(), execution)
                            ? new Receipt.Accepted(execution.id(), false)
                            : new Receipt.NoOriginal(),
                    Receipt.Accepted.class::isInstance,
                    refusal -> refusal);
            if (receipt instanceof Receipt.Accepted) {
                dispatch.send(new PendingJob(execution.id(), execution.tenant(), execution.priority(), 0));
            }
            return receipt;
        });
    }

    /** What a schedule runs. */
    static RunRequest request(Schedule schedule) {
        return RequestJson.read(schedule.request(), Map.of(LABEL, schedule.name()));
    }
}
