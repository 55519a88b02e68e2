package org.sallyport.web.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.sallyport.execution.DebugMode;
import org.sallyport.schedule.ConcurrencyPolicy;
import org.sallyport.schedule.CronExpression;
import org.sallyport.schedule.MisfirePolicy;
import org.sallyport.schedule.Trigger;
import org.sallyport.submission.RunRequest;
import org.sallyport.submission.ScheduleRequest;
import org.sallyport.submission.ScheduledWork;

/** Reads schedules. */
final class ScheduleReader {
    static final String BATCH = "batch";
    private static final Set<String> KNOWN_MEMBERS =
            Set.of("name", "cron", "everyMillis", "zone", "overlap", "catchUp", "paused", "run", BATCH);
    private static final List<String> ONE_TIME_MEMBERS = List.of("notBefore", "delayMillis", "deadline");
    private static final Pattern NAME_PATTERN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final int MAX_TEXT_LENGTH = 200;
    private static final Duration MAX_PERIOD = Duration.ofDays(3_660);

    private ScheduleReader() {}

    static ScheduleRequest read(JsonMembers body) {
        body.rejectUnknown(KNOWN_MEMBERS);
        String name = body.text("name", MAX_TEXT_LENGTH).orElseThrow(() -> body.invalidMember("name", "is missing"));
        if (!NAME_PATTERN.matcher(name).matches()) {
            throw body.invalidMember("name", "must be a letter or digit and up to 99 more letters, digits, . _ or -");
        }
        return new ScheduleRequest(
                name,
                trigger(body),
                choice(body, "overlap", ConcurrencyPolicy.SKIP, ConcurrencyPolicy.values(), ConcurrencyPolicy::text),
                choice(body, "catchUp", MisfirePolicy.LAST, MisfirePolicy.values(), MisfirePolicy::text),
                body.flag("paused").orElse(false),
                work(body));
    }

    private static ScheduledWork work(JsonMembers body) {
        Optional<JsonMembers> batch = body.object(BATCH);
        if (batch.isEmpty()) {
            return new ScheduledWork.SingleRun(
                    run(body.object("run").orElseThrow(() -> body.invalidMember("run", "is missing: what is to run"))));
        } else if (body.has("run")) {
            throw body.invalidMember(BATCH, "does not go with 'run': a schedule runs one of both");
        }
        batch.get().rejectUnknown(RowOptions.KNOWN_MEMBERS);
        return new ScheduledWork.RowsBatch(body.json(BATCH).orElseThrow());
    }

    private static Trigger trigger(JsonMembers body) {
        Optional<String> cron = body.text("cron", MAX_TEXT_LENGTH);
        Optional<Long> every = body.longValue("everyMillis");
        if (cron.isPresent() == every.isPresent()) {
            throw body.invalidMember("cron", "or 'everyMillis' is required, but not both");
        }
        if (every.isPresent()) {
            if (body.has("zone")) {
                throw body.invalidMember("zone", "needs 'cron': an interval has no time zone");
            }
            long millis = every.get();
            if (millis < 1_000 || millis > MAX_PERIOD.toMillis()) {
                throw body.invalidMember("everyMillis", "must be from 1000 to " + MAX_PERIOD.toMillis());
            }
            return new Trigger.IntervalTrigger(Duration.ofMillis(millis), Instant.EPOCH);
        }
        ZoneId zone = zone(body);
        try {
            return new Trigger.CronTrigger(CronExpression.parse(cron.orElseThrow()), zone);
        } catch (IllegalArgumentException e) {
            throw body.invalidMember("cron", String.valueOf(e.getMessage()));
        }
    }

    private static ZoneId zone(JsonMembers body) {
        String zone = body.text("zone", MAX_TEXT_LENGTH).orElse("UTC");
        try {
            // Accepts region names only. A plain offset has no daylight saving time, and Java gives it another id than
            // the text.
            ZoneId found = ZoneId.of(zone);
            if (zone.equals("UTC") || ZoneId.getAvailableZoneIds().contains(zone)) {
                return found;
            }
        } catch (DateTimeException e) {
            // Reported below.
        }
        throw body.invalidMember("zone", "must be the name of a time zone, such as Europe/Berlin or UTC");
    }

    private static <T> T choice(JsonMembers body, String member, T standard, T[] all, Function<T, String> text) {
        Optional<String> chosen = body.text(member, MAX_TEXT_LENGTH);
        if (chosen.isEmpty()) {
            return standard;
        }
        List<T> known = Arrays.asList(all);
        return known.stream()
                .filter(each -> text.apply(each).equals(chosen.get()))
                .findFirst()
                .orElseThrow(() -> body.invalidMember(
                        member,
                        "must be one of "
                                + String.join(", ", known.stream().map(text).toList())));
    }

    private static RunRequest run(JsonMembers run) {
        for (String member : ONE_TIME_MEMBERS) {
            if (run.has(member)) {
                throw run.invalidMember(member, "is for single submissions; the schedule decides when the script runs");
            }
        }
        RunRequest request = CapabilityReader.namesCapability(run)
                ? new RunRequest.CapabilityRun(CapabilityReader.readRunRequest(run, Optional.empty()))
                : new RunRequest.InlineScriptRun(SubmissionReader.read(run, Optional.empty()));
        if (request.options().debug() != DebugMode.NONE) {
            throw run.invalidMember("debug", "is not possible in a schedule: no developer is present when it runs");
        }
        return request;
    }
}
