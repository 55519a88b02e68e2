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
import org.sallyport.schedule.CatchUp;
import org.sallyport.schedule.CronExpression;
import org.sallyport.schedule.Overlap;
import org.sallyport.schedule.Timing;
import org.sallyport.submission.RunRequest;
import org.sallyport.submission.ScheduleRequest;

/** Reads what is to run at times. */
final class ScheduleReader {
    private static final Set<String> KNOWN =
            Set.of("name", "cron", "everyMillis", "zone", "overlap", "catchUp", "paused", "run");
    private static final List<String> TIMES = List.of("notBefore", "delayMillis", "deadline");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final int LONGEST = 200;
    private static final Duration LONGEST_PERIOD = Duration.ofDays(3_660);

    private ScheduleReader() {}

    static ScheduleRequest read(Members body) {
        body.allow(KNOWN);
        String name = body.text("name", LONGEST).orElseThrow(() -> body.fault("name", "is missing"));
        if (!NAME.matcher(name).matches()) {
            throw body.fault("name", "must be a letter or digit and up to 99 more letters, digits, . _ or -");
        }
        return new ScheduleRequest(
                name,
                timing(body),
                choice(body, "overlap", Overlap.SKIP, Overlap.values(), Overlap::text),
                choice(body, "catchUp", CatchUp.LAST, CatchUp.values(), CatchUp::text),
                body.flag("paused").orElse(false),
                run(body.object("run").orElseThrow(() -> body.fault("run", "is missing: what is to run"))));
    }

    private static Timing timing(Members body) {
        Optional<String> cron = body.text("cron", LONGEST);
        Optional<Long> every = body.whole("everyMillis");
        if (cron.isPresent() == every.isPresent()) {
            throw body.fault("cron", "or 'everyMillis' must be there, and not both");
        }
        if (every.isPresent()) {
            if (body.has("zone")) {
                throw body.fault("zone", "goes with 'cron': an interval is the same everywhere");
            }
            long millis = every.get();
            if (millis < 1_000 || millis > LONGEST_PERIOD.toMillis()) {
                throw body.fault("everyMillis", "must be from 1000 to " + LONGEST_PERIOD.toMillis());
            }
            return new Timing.Every(Duration.ofMillis(millis), Instant.EPOCH);
        }
        ZoneId zone = zone(body);
        try {
            return new Timing.Cron(CronExpression.parse(cron.orElseThrow()), zone);
        } catch (IllegalArgumentException e) {
            throw body.fault("cron", String.valueOf(e.getMessage()));
        }
    }

    private static ZoneId zone(Members body) {
        String zone = body.text("zone", LONGEST).orElse("UTC");
        try {
            // Names alone: what is an offset knows no summer, and shows itself as something else.
            ZoneId found = ZoneId.of(zone);
            if (zone.equals("UTC") || ZoneId.getAvailableZoneIds().contains(zone)) {
                return found;
            }
        } catch (DateTimeException e) {
            // Said below.
        }
        throw body.fault("zone", "must be the name of a time zone, such as Europe/Berlin or UTC");
    }

    private static <T> T choice(Members body, String member, T standard, T[] all, Function<T, String> text) {
        Optional<String> chosen = body.text(member, LONGEST);
        if (chosen.isEmpty()) {
            return standard;
        }
        List<T> known = Arrays.asList(all);
        return known.stream()
                .filter(each -> text.apply(each).equals(chosen.get()))
                .findFirst()
                .orElseThrow(() -> body.fault(
                        member,
                        "must be one of "
                                + String.join(", ", known.stream().map(text).toList())));
    }

    private static RunRequest run(Members run) {
        for (String member : TIMES) {
            if (run.has(member)) {
                throw run.fault(member, "is for what runs once; the schedule says when this runs");
            }
        }
        RunRequest request = CapabilityReader.isCall(run)
                ? new RunRequest.Published(CapabilityReader.call(run, Optional.empty()))
                : new RunRequest.Script(SubmissionReader.read(run, Optional.empty()));
        if (request.options().debug() != DebugMode.NONE) {
            throw run.fault("debug", "needs somebody who looks; nobody does when its time comes");
        }
        return request;
    }
}
