package org.sallyport.web.api;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sallyport.execution.Admission;
import org.sallyport.execution.Cost;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.Effects;
import org.sallyport.execution.FurtherLimit;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.execution.Reuse;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.submission.RequestedLimits;
import org.sallyport.submission.Submission;
import org.sallyport.tool.Json;

/** Reads what a caller asks to have run. */
final class SubmissionReader {
    private static final Set<String> KNOWN = Set.of(
            "code",
            "language",
            "args",
            "context",
            "limits",
            "grants",
            "labels",
            "priority",
            "notBefore",
            "delayMillis",
            "deadline",
            "concurrencyKey",
            "intent",
            "debug",
            "durability",
            "callback",
            "dryRun",
            "fixtures");
    private static final Set<String> KNOWN_LIMITS = Stream.concat(
                    Stream.of("wallMillis", "cpuMillis", "heapBytes", "toolCalls", "outputChars", "cost"),
                    Stream.of(FurtherLimit.values()).map(FurtherLimit::member))
            .collect(Collectors.toUnmodifiableSet());
    private static final int NORMAL_PRIORITY = 4;
    private static final int MOST_GRANTS = 1_000;
    private static final int LONGEST_NAME = 300;
    private static final int MOST_LABELS = 64;
    private static final int LONGEST_URL = 2_000;
    private static final int LONGEST_KEY = 200;
    private static final int LONGEST_INTENT = 2_000;

    private SubmissionReader() {}

    static Submission read(Members body, Optional<Idempotency> idempotency) {
        body.allow(KNOWN);
        return taken(body, script(body, "code", "the script to run"), idempotency);
    }

    /** As {@link #read}, of whoever may also have the script kept. */
    static Submission readToKeep(Members body, Optional<Idempotency> idempotency) {
        Set<String> known = new HashSet<>(KNOWN);
        known.add(ScriptReader.KEEP);
        // Taken out before, where it may stand.
        known.add(ResultReader.MEMBER);
        body.allow(known);
        return taken(body, script(body, "code", "the script to run"), idempotency)
                .reusing(Reuse.NONE.keepingAs(ScriptReader.name(body)));
    }

    /** Refuses what no submission has, the code included, besides {@code more}. */
    static void allowWithoutCode(Members body, Set<String> more) {
        Set<String> known = new HashSet<>(KNOWN);
        known.removeAll(Set.of("code", "language"));
        known.addAll(more);
        body.allow(known);
    }

    /** All but the script. */
    static Submission taken(Members body, String code, Optional<Idempotency> idempotency) {
        return new Submission(
                        code,
                        language(body).orElse(ScriptLanguage.JAVASCRIPT),
                        body.json("args").orElse(Json.EMPTY_OBJECT),
                        body.json("context").orElse(Json.EMPTY_OBJECT),
                        limits(body),
                        grants(body),
                        labels(body),
                        priority(body).orElse(NORMAL_PRIORITY),
                        debug(body),
                        durability(body),
                        intent(body),
                        idempotency)
                .with(effects(body))
                .admitted(admission(body))
                .telling(body.text("callback", LONGEST_URL));
    }

    private static Admission admission(Members body) {
        Optional<Instant> notBefore = moment(body, "notBefore");
        Optional<Long> delay = body.whole("delayMillis");
        if (delay.isPresent() && notBefore.isPresent()) {
            throw body.fault("delayMillis", "does not go with 'notBefore': both say when it may begin");
        } else if (delay.isPresent() && delay.get() < 0) {
            throw body.fault("delayMillis", "must not be below 0");
        }
        return new Admission(
                notBefore,
                delay.filter(millis -> millis > 0).map(Duration::ofMillis),
                moment(body, "deadline"),
                concurrencyKey(body));
    }

    private static Optional<String> concurrencyKey(Members body) {
        return body.text("concurrencyKey", LONGEST_KEY).map(key -> {
            if (key.isBlank()) {
                throw body.fault("concurrencyKey", "is empty: executions with the same key take turns");
            }
            return key;
        });
    }

    private static Optional<Instant> moment(Members body, String member) {
        return body.text(member, LONGEST_NAME)
                .map(text -> Moments.moment(text)
                        .orElseThrow(() -> body.fault(member, "must be a time such as 2026-06-08T15:00:00Z")));
    }

    private static Effects effects(Members body) {
        boolean dry = body.flag("dryRun").orElse(false);
        Optional<Members> fixtures = body.object("fixtures");
        if (fixtures.isPresent() && !dry) {
            throw body.fault("fixtures", "are answers for a dry run; send 'dryRun': true with them");
        }
        return dry
                ? new Effects.DryRun(
                        fixtures.isPresent() ? body.json("fixtures").orElse(Json.EMPTY_OBJECT) : Json.EMPTY_OBJECT)
                : Effects.REAL;
    }

    /** @param what what it is, for whoever left it out */
    static String script(Members body, String member, String what) {
        String code = body.text(member, Integer.MAX_VALUE).orElseThrow(() -> body.fault(member, "is missing: " + what));
        if (code.isBlank()) {
            throw body.fault(member, "is empty: " + what);
        }
        return code;
    }

    static Optional<List<String>> grants(Members body) {
        return body.texts("grants", MOST_GRANTS, LONGEST_NAME);
    }

    static Optional<ScriptLanguage> language(Members body) {
        return body.text("language", LONGEST_NAME).map(name -> switch (name.toLowerCase(Locale.ROOT)) {
            case "javascript" -> ScriptLanguage.JAVASCRIPT;
            case "typescript" -> ScriptLanguage.TYPESCRIPT;
            default -> throw body.fault("language", "must be javascript or typescript");
        });
    }

    static Map<String, String> labels(Members body) {
        return body.map("labels", MOST_LABELS, LONGEST_NAME);
    }

    static Optional<String> intent(Members body) {
        return body.text("intent", LONGEST_INTENT);
    }

    static DebugMode debug(Members body) {
        Optional<String> mode = body.text("debug", LONGEST_NAME);
        if (mode.isEmpty()) {
            return DebugMode.NONE;
        }
        return switch (mode.get()) {
            case "inspect" -> DebugMode.INSPECT;
            case "inspect-brk" -> DebugMode.INSPECT_BREAK;
            case "profile" -> DebugMode.PROFILE;
            default -> throw body.fault("debug", "must be inspect, inspect-brk or profile");
        };
    }

    private static Durability durability(Members body) {
        String name = body.text("durability", LONGEST_NAME).orElse(Durability.JOURNAL.text());
        try {
            return Durability.of(name);
        } catch (IllegalArgumentException e) {
            throw body.fault("durability", "must be journal or none");
        }
    }

    static Optional<Integer> priority(Members body) {
        return body.whole("priority").map(priority -> {
            if (priority < 0 || priority > 9) {
                throw body.fault("priority", "must be from 0 (last) to 9 (first)");
            }
            return priority.intValue();
        });
    }

    static RequestedLimits limits(Members body) {
        return body.object("limits").map(SubmissionReader::asked).orElse(RequestedLimits.NONE);
    }

    private static RequestedLimits asked(Members limits) {
        limits.allow(KNOWN_LIMITS);
        return new RequestedLimits(
                limits.whole("wallMillis"),
                limits.whole("cpuMillis"),
                limits.whole("heapBytes"),
                limits.whole("toolCalls"),
                limits.whole("outputChars"),
                cost(limits),
                further(limits));
    }

    private static Map<FurtherLimit, Long> further(Members limits) {
        Map<FurtherLimit, Long> further = new EnumMap<>(FurtherLimit.class);
        for (FurtherLimit limit : FurtherLimit.values()) {
            limits.whole(limit.member()).ifPresent(value -> further.put(limit, value));
        }
        return further;
    }

    private static Optional<Cost> cost(Members limits) {
        return limits.number("cost").map(cost -> {
            if (cost.signum() < 0 || cost.compareTo(Cost.MOST.amount()) > 0) {
                throw limits.fault("cost", "must be a number from 0 to " + Cost.MOST);
            }
            return Cost.of(cost);
        });
    }
}
