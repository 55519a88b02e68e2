package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.Timing;
import org.sallyport.submission.ScheduleReceipt;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;

/** Shows schedules as JSON. */
final class ScheduleAnswers {
    private static final String BASE = "/api/v1/schedules/";

    private ScheduleAnswers() {}

    static String path(Schedule schedule) {
        return BASE + schedule.id();
    }

    /** All of it. */
    static ObjectNode whole(Schedule schedule) {
        ObjectNode json = item(schedule);
        json.set("run", Representation.raw(schedule.request()));
        return json;
    }

    /** All but what it runs. */
    static ObjectNode item(Schedule schedule) {
        ObjectNode json = Representation.object()
                .put("id", schedule.id().toString())
                .put("name", schedule.name())
                .put("owner", schedule.owner());
        if (schedule.timing() instanceof Timing.Cron cron) {
            json.put("cron", cron.expression().toString())
                    .put("zone", cron.zone().getId());
        } else if (schedule.timing() instanceof Timing.Every every) {
            json.put("everyMillis", every.period().toMillis());
        }
        json.put("overlap", schedule.overlap().text());
        json.put("catchUp", schedule.catchUp().text());
        json.put("paused", schedule.pause().isPresent());
        schedule.pause().ifPresent(pause -> {
            if (!pause.reason().isEmpty()) {
                json.put("pauseReason", pause.reason());
            }
            json.put("pausedAt", pause.since().toString());
        });
        json.put("nextAt", next(schedule).map(Instant::toString).orElse(null));
        if (schedule.held()) {
            json.put("waiting", true);
        }
        schedule.last().ifPresent(last -> {
            ObjectNode shown = json.putObject("lastRun");
            shown.put("execution", last.execution().toString())
                    .put("at", last.at().toString());
            last.state().ifPresent(state -> shown.put("state", state.name()));
        });
        schedule.leftOut()
                .ifPresent(time -> json.putObject("lastLeftOut")
                        .put("at", time.at().toString())
                        .put("reason", time.why().name().toLowerCase(Locale.ROOT)));
        json.put("createdAt", schedule.createdAt().toString());
        String self = path(schedule);
        json.putObject("links")
                .put("self", self)
                .put("next", self + "/next")
                .put("executions", self + "/executions")
                .put("run", self + "/run")
                .put("pause", self + "/pause")
                .put("resume", self + "/resume");
        return json;
    }

    private static Optional<Instant> next(Schedule schedule) {
        return schedule.pause().isPresent() ? Optional.empty() : Optional.of(schedule.dueAt());
    }

    /** Its next times, as they would be if it were not paused. */
    static ObjectNode next(Schedule schedule, int count, Instant now) {
        ObjectNode json = Representation.object();
        var times = json.putArray("times");
        boolean current = schedule.pause().isEmpty();
        Instant time = current ? schedule.dueAt() : schedule.timing().next(now);
        for (int i = 0; i < count; i++) {
            times.add(time.toString());
            time = schedule.timing().next(time);
        }
        return json.put("paused", !current);
    }

    static ObjectNode run(ScheduleStore.Run run) {
        return Representation.object()
                .put("execution", run.execution().toString())
                .put("at", run.at().map(Instant::toString).orElse(null))
                .put("state", run.state().name());
    }

    /** Why it was not stored. */
    static Problem problem(ScheduleReceipt receipt) {
        if (receipt instanceof ScheduleReceipt.Refused refused) {
            return ReceiptProblems.of(refused.why());
        } else if (receipt instanceof ScheduleReceipt.NameTaken taken) {
            return Problem.of(
                    ProblemType.SCHEDULE_EXISTS,
                    "there is a schedule '" + taken.name() + "'; replace it, or choose another name");
        } else if (receipt instanceof ScheduleReceipt.TooMany many) {
            return Problem.of(
                    ProblemType.TOO_MANY_SCHEDULES,
                    "there are " + many.most() + " schedules, and more are not taken",
                    members -> members.put("limit", many.most()));
        }
        return Problem.of(ProblemType.NOT_FOUND, "there is no such schedule");
    }
}
