package org.sallyport.it.security;

import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Submits a script and waits for its end.
 *
 * @param cancelAfter if present, cancels the execution this many milliseconds after it printed {@code begun}
 * @param times number of sequential repetitions, all of which must have the same outcome
 */
record ScriptAttack(SubmissionBody submission, OptionalLong cancelAfter, int times) implements Attack {
    /** Shorter than the default limit of the service, so that no attack runs for that long. */
    private static final String DEFAULT_WALL_MILLIS = "20000";

    private static final Map<String, String> LIMITS = Map.of(
            "wall", "wallMillis",
            "cpu", "cpuMillis",
            "heap", "heapBytes",
            "calls", "toolCalls",
            "chars", "outputChars");

    /**
     * Creates an attack from the fields above its script: {@code language}, {@code args} (JSON), {@code grants}, {@code
     * wall}, {@code cpu}, {@code heap}, {@code calls}, {@code chars}, {@code label}, {@code cancel}, {@code times}.
     */
    static ScriptAttack of(String code, AttackFileParser.AttackFileFields members) {
        SubmissionBody submission =
                members.remove("language").filter("typescript"::equals).isPresent()
                        ? SubmissionBody.typescript(code)
                        : SubmissionBody.javascript(code);
        submission = submission.limit("wallMillis", Long.parseLong(DEFAULT_WALL_MILLIS));
        for (Map.Entry<String, String> limit : LIMITS.entrySet()) {
            OptionalLong value = number(members, limit.getKey());
            if (value.isPresent()) {
                submission = submission.limit(limit.getValue(), value.getAsLong());
            }
        }
        SubmissionBody limited = submission;
        submission = members.remove("args").map(limited::args).orElse(limited);
        SubmissionBody given = submission;
        submission = members.remove("grants")
                .map(grants -> given.grants(grants.split(" ", -1)))
                .orElse(given);
        SubmissionBody granted = submission;
        submission =
                members.remove("label").map(label -> granted.label("x", label)).orElse(granted);
        OptionalLong cancel = number(members, "cancel");
        OptionalLong times = number(members, "times");
        return new ScriptAttack(submission, cancel, (int) times.orElse(1));
    }

    private static OptionalLong number(AttackFileParser.AttackFileFields members, String name) {
        return members.remove(name)
                .map(text -> OptionalLong.of(Long.parseLong(text)))
                .orElse(OptionalLong.empty());
    }

    @Override
    public AttackResult execute(SecurityTestServer arena) {
        AttackResult last = executeOnce(arena);
        for (int i = 1; i < times; i++) {
            AttackResult next = executeOnce(arena);
            if (!next.outcome().equals(last.outcome())) {
                throw new AssertionError(
                        "ended as " + last.outcome() + ", and time " + (i + 1) + " as " + next.visibleText());
            }
            last = next;
        }
        return last;
    }

    private AttackResult executeOnce(SecurityTestServer arena) {
        return cancelAfter.isPresent() ? executeAndCancel(arena, cancelAfter.getAsLong()) : arena.run(submission);
    }

    private AttackResult executeAndCancel(SecurityTestServer arena, long millis) {
        String id = arena.api().submit(submission);
        arena.api().awaitOutput(id, "begun");
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Instant moment = Instant.now();
        arena.api().cancel(id).expectStatus(202);
        return arena.awaitResult(id).cancelledAt(moment);
    }
}
