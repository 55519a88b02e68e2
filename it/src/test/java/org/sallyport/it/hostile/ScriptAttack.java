package org.sallyport.it.hostile;

import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import org.sallyport.it.harness.Submission;

/**
 * Submits a script and waits for its end.
 *
 * @param cancelAfter cancels it so many milliseconds after it has printed {@code begun}
 * @param times does the same so often, one after the other; all must end alike
 */
record ScriptAttack(Submission submission, OptionalLong cancelAfter, int times) implements Attack {
    /** Nothing hostile may last for as long as the service would let it. */
    private static final String WALL = "20000";

    private static final Map<String, String> LIMITS = Map.of(
            "wall", "wallMillis",
            "cpu", "cpuMillis",
            "heap", "heapBytes",
            "calls", "toolCalls",
            "chars", "outputChars");

    /**
     * An attack by what stands above its script: {@code language}, {@code args} (JSON), {@code grants}, {@code wall}, {@code
     * cpu}, {@code heap}, {@code calls}, {@code chars}, {@code label}, {@code cancel}, {@code times}.
     */
    static ScriptAttack of(String code, RowFile.Members members) {
        Submission submission =
                members.take("language").filter("typescript"::equals).isPresent()
                        ? Submission.typescript(code)
                        : Submission.javascript(code);
        submission = submission.limit("wallMillis", Long.parseLong(WALL));
        for (Map.Entry<String, String> limit : LIMITS.entrySet()) {
            OptionalLong value = number(members, limit.getKey());
            if (value.isPresent()) {
                submission = submission.limit(limit.getValue(), value.getAsLong());
            }
        }
        Submission limited = submission;
        submission = members.take("args").map(limited::args).orElse(limited);
        Submission given = submission;
        submission = members.take("grants")
                .map(grants -> given.grants(grants.split(" ", -1)))
                .orElse(given);
        Submission granted = submission;
        submission =
                members.take("label").map(label -> granted.label("x", label)).orElse(granted);
        OptionalLong cancel = number(members, "cancel");
        OptionalLong times = number(members, "times");
        return new ScriptAttack(submission, cancel, (int) times.orElse(1));
    }

    private static OptionalLong number(RowFile.Members members, String name) {
        return members.take(name)
                .map(text -> OptionalLong.of(Long.parseLong(text)))
                .orElse(OptionalLong.empty());
    }

    @Override
    public Sighting strike(Arena arena) {
        Sighting last = once(arena);
        for (int i = 1; i < times; i++) {
            Sighting next = once(arena);
            if (!next.outcome().equals(last.outcome())) {
                throw new AssertionError("ended as " + last.outcome() + ", and time " + (i + 1) + " as " + next.seen());
            }
            last = next;
        }
        return last;
    }

    private Sighting once(Arena arena) {
        return cancelAfter.isPresent() ? cancelled(arena, cancelAfter.getAsLong()) : arena.run(submission);
    }

    private Sighting cancelled(Arena arena, long millis) {
        String id = arena.api().submit(submission);
        arena.api().awaitOutput(id, "begun");
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Instant moment = Instant.now();
        arena.api().cancel(id).expect(202);
        return arena.sighting(id).cancelledAt(moment);
    }
}
