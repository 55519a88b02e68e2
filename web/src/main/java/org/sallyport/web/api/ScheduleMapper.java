package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.sallyport.schedule.Schedule;
import org.sallyport.schedule.ScheduleRows;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.schedule.Trigger;
import org.sallyport.submission.ScheduleSaveResult;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;

/** Maps schedules to JSON. */
final class ScheduleMapper {
    private static final String BASE = "/api/v1/schedules/";

    private ScheduleMapper() {}

    static String path(Schedule schedule) {
        return BASE + schedule.id();
    }

    /** A schedule with all its members. */
    static ObjectNode details(Schedule schedule) {
        ObjectNode json = summary(schedule);
        if (!schedule.runsBatch()) {
            json.set("run", ExecutionMapper.raw(schedule.request()));
        }
        return json;
    }

    /** A schedule without its submission. */
    static ObjectNode summary(Schedule schedule) {
        ObjectNode json = ExecutionMapper.object()
                .put("id", schedule.id().toString())
                .put("name", schedule.name())
                .put("submittedBy", schedule.creator())
                .put("owner", schedule.owner());
        if (schedule.trigger() instanceof Trigger.CronTrigger cron) {
            json.put("cron", cron.expression().toString())
                    .put("zone", cron.zone().getId());
        } else if (schedule.trigger() instanceof Trigger.IntervalTrigger every) {
            json.put("everyMillis", every.period().toMillis());
        }
        json.put("overlap", schedule.concurrencyPolicy().text());
        json.put("catchUp", schedule.misfirePolicy().text());
        json.put("paused", schedule.pause().isPresent());
        schedule.pause().ifPresent(pause -> {
            if (!pause.reason().isEmpty()) {
                json.put("pauseReason", pause.reason());
            }
            json.put("pausedAt", pause.since().toString());
        });
        json.put("nextAt", next(schedule).map(Instant::toString).orElse(null));
        if (schedule.waitingForPrevious()) {
            json.put("waiting", true);
        }
        schedule.delayReason().ifPresent(reason -> json.put("delayReason", reason));
        schedule.lastRun().ifPresent(last -> {
            ObjectNode shown = json.putObject("lastRun");
            shown.put("execution", last.execution().toString())
                    .put("at", last.at().toString());
            last.state().ifPresent(state -> shown.put("state", state.name()));
        });
        schedule.lastSkipped()
                .ifPresent(time -> json.putObject("lastSkipped")
                        .put("at", time.at().toString())
                        .put(
                                "reason",
                                time.reason().name().toLowerCase(Locale.ROOT).replace('_', '-')));
        if (schedule.runsBatch()) {
            json.set("batch", ExecutionMapper.raw(schedule.request()));
        }
        schedule.rows().ifPresent(rows -> json.set("rows", rows(rows)));
        schedule.lastBatch().ifPresent(last -> {
            ObjectNode shown = json.putObject("lastBatch");
            shown.put("batch", last.batch().toString()).put("at", last.at().toString());
            last.size().ifPresent(size -> shown.put("total", size.total()).put("refused", size.refused()));
        });
        json.put("createdAt", schedule.createdAt().toString());
        json.set("links", links(schedule));
        return json;
    }

    private static ObjectNode rows(ScheduleRows rows) {
        return ExecutionMapper.object()
                .put("contentType", rows.contentType())
                .put("bytes", rows.bytes())
                .put("sha256", rows.sha256())
                .put("count", rows.count())
                .put("refused", rows.refused())
                .put("uploadedBy", rows.uploadedBy())
                .put("uploadedAt", rows.uploadedAt().toString());
    }

    private static ObjectNode links(Schedule schedule) {
        String self = path(schedule);
        ObjectNode links = ExecutionMapper.object().put("self", self).put("next", self + "/next");
        if (schedule.runsBatch()) {
            links.put("rows", self + "/rows").put("batches", self + "/batches");
        } else {
            links.put("executions", self + "/executions").put("run", self + "/run");
        }
        return links.put("pause", self + "/pause").put("resume", self + "/resume");
    }

    private static Optional<Instant> next(Schedule schedule) {
        return schedule.pause().isPresent() ? Optional.empty() : Optional.of(schedule.dueAt());
    }

    /** The next times of the schedule, as if it were not paused. */
    static ObjectNode next(Schedule schedule, int count, Instant now) {
        ObjectNode json = ExecutionMapper.object();
        var times = json.putArray("times");
        boolean current = schedule.pause().isEmpty();
        Instant time = current ? schedule.dueAt() : schedule.trigger().nextAfter(now);
        for (int i = 0; i < count; i++) {
            times.add(time.toString());
            time = schedule.trigger().nextAfter(time);
        }
        return json.put("paused", !current);
    }

    static ObjectNode run(ScheduleStore.ScheduleRun run) {
        return ExecutionMapper.object()
                .put("execution", run.execution().toString())
                .put("at", run.at().map(Instant::toString).orElse(null))
                .put("state", run.state().name());
    }

    /** The problem why a schedule was not stored. */
    static Problem problem(ScheduleSaveResult receipt) {
        if (receipt instanceof ScheduleSaveResult.ScheduleRefused refused) {
            return SubmissionProblems.toProblem(refused.refusal());
        } else if (receipt instanceof ScheduleSaveResult.ScheduleNameTaken taken) {
            return Problem.of(
                    ProblemType.SCHEDULE_EXISTS,
                    "there is a schedule '" + taken.name() + "'; replace it, or choose another name");
        } else if (receipt instanceof ScheduleSaveResult.TooManySchedules many) {
            return Problem.of(
                    ProblemType.TOO_MANY_SCHEDULES,
                    "there are " + many.limit() + " schedules, which is the limit; delete one first",
                    members -> members.put("limit", many.limit()));
        }
        return Problem.of(ProblemType.NOT_FOUND, "there is no such schedule");
    }
}
