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
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.Cost;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.submission.RequestedLimits;
import org.sallyport.submission.Submission;
import org.sallyport.tool.Json;

/** Reads submissions. */
final class SubmissionReader {
    private static final Set<String> KNOWN_MEMBERS = Set.of(
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
            "fixtures",
            RetryReader.RETRY_MEMBER);
    private static final Set<String> KNOWN_LIMITS = Stream.concat(
                    Stream.of("wallMillis", "cpuMillis", "heapBytes", "toolCalls", "outputChars", "cost"),
                    Stream.of(AdditionalLimit.values()).map(AdditionalLimit::member))
            .collect(Collectors.toUnmodifiableSet());
    private static final int DEFAULT_PRIORITY = 4;
    private static final int MAX_GRANTS = 1_000;
    private static final int MAX_STORED_GRANTS_LENGTH = 8_192;
    private static final int MAX_NAME_LENGTH = 300;
    private static final int MAX_LABELS = 64;
    private static final int MAX_URL_LENGTH = 2_000;
    private static final int MAX_KEY_LENGTH = 200;
    private static final int MAX_INTENT_LENGTH = 2_000;

    private SubmissionReader() {}

    static Submission read(JsonMembers body, Optional<IdempotencyKey> idempotency) {
        body.rejectUnknown(KNOWN_MEMBERS);
        return toSubmission(body, script(body, "code", "the script to run"), idempotency);
    }

    /** Same as {@link #read}, but also accepts the name under which to save the script. */
    static Submission readWithSaveAs(JsonMembers body, Optional<IdempotencyKey> idempotency) {
        Set<String> known = new HashSet<>(KNOWN_MEMBERS);
        known.add(SavedScriptReader.SAVE_AS_MEMBER);
        // Accepted here: where the member is allowed, the caller has already removed it.
        known.add(CacheOptionsReader.CACHE_MEMBER);
        body.rejectUnknown(known);
        return toSubmission(body, script(body, "code", "the script to run"), idempotency)
                .withCacheOptions(CacheOptions.NONE.withSaveAs(SavedScriptReader.saveAsName(body)));
    }

    /** Refuses members that are neither submission members nor in {@code more}; {@code code} is refused too. */
    static void rejectUnknownWithoutCode(JsonMembers body, Set<String> more) {
        Set<String> known = new HashSet<>(KNOWN_MEMBERS);
        known.removeAll(Set.of("code", "language"));
        known.addAll(more);
        body.rejectUnknown(known);
    }

    /** Reads all members except the script. */
    static Submission toSubmission(JsonMembers body, String code, Optional<IdempotencyKey> idempotency) {
        return new Submission(
                        code,
                        language(body).orElse(ScriptLanguage.UNSPECIFIED),
                        body.json("args").orElse(Json.EMPTY_OBJECT),
                        body.json("context").orElse(Json.EMPTY_OBJECT),
                        limits(body),
                        grants(body),
                        labels(body),
                        priority(body).orElse(DEFAULT_PRIORITY),
                        debug(body),
                        durability(body),
                        intent(body),
                        idempotency)
                .withEffects(effects(body))
                .withAdmission(admission(body))
                .withCallback(body.text("callback", MAX_URL_LENGTH));
    }

    private static AdmissionConstraints admission(JsonMembers body) {
        Optional<Instant> notBefore = instant(body, "notBefore");
        Optional<Long> delay = body.longValue("delayMillis");
        if (delay.isPresent() && notBefore.isPresent()) {
            throw body.invalidMember("delayMillis", "does not go with 'notBefore': both say when it may begin");
        } else if (delay.isPresent() && delay.get() < 0) {
            throw body.invalidMember("delayMillis", "must not be below 0");
        }
        return new AdmissionConstraints(
                notBefore,
                delay.filter(millis -> millis > 0).map(Duration::ofMillis),
                instant(body, "deadline"),
                concurrencyKey(body),
                RetryReader.read(body));
    }

    private static Optional<String> concurrencyKey(JsonMembers body) {
        return body.text("concurrencyKey", MAX_KEY_LENGTH).map(key -> {
            if (key.isBlank()) {
                throw body.invalidMember("concurrencyKey", "is empty; executions with the same key run one by one");
            }
            return key;
        });
    }

    private static Optional<Instant> instant(JsonMembers body, String member) {
        return body.text(member, MAX_NAME_LENGTH)
                .map(text -> Iso8601.parseInstant(text)
                        .orElseThrow(() -> body.invalidMember(member, "must be a time such as 2026-06-08T15:00:00Z")));
    }

    private static EffectMode effects(JsonMembers body) {
        boolean dry = body.flag("dryRun").orElse(false);
        Optional<JsonMembers> fixtures = body.object("fixtures");
        if (fixtures.isPresent() && !dry) {
            throw body.invalidMember("fixtures", "are answers for a dry run; send 'dryRun': true with them");
        }
        return dry
                ? new EffectMode.DryRun(
                        fixtures.isPresent() ? body.json("fixtures").orElse(Json.EMPTY_OBJECT) : Json.EMPTY_OBJECT)
                : EffectMode.REAL;
    }

    /** @param what a description of the script, for the message when it is missing */
    static String script(JsonMembers body, String member, String what) {
        String code = body.text(member, Integer.MAX_VALUE)
                .orElseThrow(() -> body.invalidMember(member, "is missing: " + what));
        if (code.isBlank()) {
            throw body.invalidMember(member, "is empty: " + what);
        }
        return code;
    }

    static Optional<List<String>> grants(JsonMembers body) {
        return body.texts("grants", MAX_GRANTS, MAX_NAME_LENGTH);
    }

    /** The grants of an object that is stored, of which a list shows many. */
    static Optional<List<String>> storedGrants(JsonMembers body) {
        return grants(body).map(grants -> requireStorable(body, grants));
    }

    /** @throws org.sallyport.web.ProblemException if the grants are too long together for an object that is stored */
    static List<String> requireStorable(JsonMembers body, List<String> grants) {
        if (grants.stream().mapToLong(String::length).sum() > MAX_STORED_GRANTS_LENGTH) {
            throw body.invalidMember(
                    "grants", "must have at most " + MAX_STORED_GRANTS_LENGTH + " characters together");
        }
        return grants;
    }

    static Optional<ScriptLanguage> language(JsonMembers body) {
        return body.text("language", MAX_NAME_LENGTH).map(name -> switch (name.toLowerCase(Locale.ROOT)) {
            case "javascript" -> ScriptLanguage.JAVASCRIPT;
            case "typescript" -> ScriptLanguage.TYPESCRIPT;
            default -> throw body.invalidMember("language", "must be javascript or typescript");
        });
    }

    static Map<String, String> labels(JsonMembers body) {
        return body.map("labels", MAX_LABELS, MAX_NAME_LENGTH);
    }

    static Optional<String> intent(JsonMembers body) {
        return body.text("intent", MAX_INTENT_LENGTH);
    }

    static DebugMode debug(JsonMembers body) {
        Optional<String> mode = body.text("debug", MAX_NAME_LENGTH);
        if (mode.isEmpty()) {
            return DebugMode.NONE;
        }
        return switch (mode.get()) {
            case "inspect" -> DebugMode.INSPECT;
            case "inspect-brk" -> DebugMode.INSPECT_BREAK;
            case "profile" -> DebugMode.PROFILE;
            default -> throw body.invalidMember("debug", "must be inspect, inspect-brk or profile");
        };
    }

    private static Durability durability(JsonMembers body) {
        String name = body.text("durability", MAX_NAME_LENGTH).orElse(Durability.JOURNAL.text());
        try {
            return Durability.of(name);
        } catch (IllegalArgumentException e) {
            throw body.invalidMember("durability", "must be journal or none");
        }
    }

    static Optional<Integer> priority(JsonMembers body) {
        return body.longValue("priority").map(priority -> {
            if (priority < 0 || priority > 9) {
                throw body.invalidMember("priority", "must be from 0 (last) to 9 (first)");
            }
            return priority.intValue();
        });
    }

    static RequestedLimits limits(JsonMembers body) {
        return body.object("limits").map(SubmissionReader::requestedLimits).orElse(RequestedLimits.NONE);
    }

    private static RequestedLimits requestedLimits(JsonMembers limits) {
        limits.rejectUnknown(KNOWN_LIMITS);
        return new RequestedLimits(
                limits.longValue("wallMillis"),
                limits.longValue("cpuMillis"),
                limits.longValue("heapBytes"),
                limits.longValue("toolCalls"),
                limits.longValue("outputChars"),
                cost(limits),
                furtherLimits(limits));
    }

    private static Map<AdditionalLimit, Long> furtherLimits(JsonMembers limits) {
        Map<AdditionalLimit, Long> further = new EnumMap<>(AdditionalLimit.class);
        for (AdditionalLimit limit : AdditionalLimit.values()) {
            limits.longValue(limit.member()).ifPresent(value -> further.put(limit, value));
        }
        return further;
    }

    private static Optional<Cost> cost(JsonMembers limits) {
        return limits.number("cost").map(cost -> {
            if (cost.signum() < 0 || cost.compareTo(Cost.MAX_VALUE.amount()) > 0) {
                throw limits.invalidMember("cost", "must be a number from 0 to " + Cost.MAX_VALUE);
            }
            return Cost.of(cost);
        });
    }
}
