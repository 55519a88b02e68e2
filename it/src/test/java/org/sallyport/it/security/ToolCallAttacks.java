package org.sallyport.it.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Arguments and results of calls, and results of scripts, that fill the memory of a server that holds all of them. */
final class ToolCallAttacks {
    private static final String BATCHES = "/api/v1/batches";
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    /**
     * Calls wait for memory while others are open, so most executions end at this limit. The calls of sixteen
     * executions fit into the heap of one worker, but not into that of the server; those of two hundred into neither.
     */
    private static final Duration SHORT_WALL_TIME = Duration.ofSeconds(12);

    private static final Duration LONG_WALL_TIME = Duration.ofSeconds(30);
    /** Enough for most of the executions to begin. */
    private static final Duration RESULT_DELAY = Duration.ofSeconds(10);

    private static final List<String> TERMINAL = List.of("COMPLETED", "FAILED", "TIMED_OUT");
    /** How executions may end whose calls find no room or no time. */
    private static final Set<String> OUTCOMES =
            Set.of("COMPLETED", "CANCELLED", "TIMED_OUT wall-clock-limit", "FAILED timeout", "FAILED backend-busy");

    private static final String LONG_NAMES = """
            const text = '\u20ac'.repeat(250000);
            for (let i = 0; i < 1000; i++) await demo.flaky({ name: i + text, failures: 0 });
            """;

    private ToolCallAttacks() {}

    static List<AttackCase> all() {
        AttackExpectation contained = AttackExpectation.outcome(ResponseCheck.CONTAINED);
        return List.of(
                AttackCase.of(
                                "F09",
                                "sixteen executions with 32 open calls of 250 KB each",
                                contained,
                                arena -> openCalls(arena, 16, 5_000, "x", SHORT_WALL_TIME))
                        .asExclusive(),
                AttackCase.of(
                                "F09b",
                                "two hundred executions with 32 open calls of 750 KB each",
                                contained,
                                arena -> openCalls(arena, 200, 25_000, "€", LONG_WALL_TIME))
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                                "F17",
                                "five hundred executions that return 1.5 MB each at the same time",
                                contained,
                                ToolCallAttacks::longResults)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                        "F12",
                        "long names for a tool that keeps the names of its calls",
                        AttackExpectation.outcome("FAILED invalid-arguments"),
                        ToolCallAttacks::longNames));
    }

    /** All executions run when the first returns. */
    private static AttackResult longResults(SecurityTestServer arena) {
        long end = System.currentTimeMillis() + RESULT_DELAY.toMillis();
        ObjectNode batch = TestJson.object();
        ArrayNode items = batch.putArray("items");
        Stream.generate(TestJson::object).limit(500).forEach(items::add);
        ObjectNode defaults = batch.putObject("defaults");
        defaults.putObject("limits").put("wallMillis", TIMEOUT.toMillis());
        defaults.put("code", "await sleep(Math.max(0, " + end + " - Date.now()));\nreturn '\u20ac'.repeat(500_000);");
        RestClient api = arena.api();
        String path = submitBatch(api, batch);
        awaitEnd(api, path);
        List<JsonNode> ended = api.listAll(path + "/items?limit=200");
        return ResponseCheck.checkOutcomes(
                ended.stream().map(ToolCallAttacks::outcome).toList(), Set.of("COMPLETED"), ended.toString());
    }

    private static String submitBatch(RestClient api, ObjectNode batch) {
        return BATCHES + "/"
                + api.post(BATCHES, TestJson.write(batch))
                        .expectStatus(202)
                        .json()
                        .path("id")
                        .asText();
    }

    private static void awaitEnd(RestClient api, String path) {
        Await.until(
                "the batch has ended",
                TIMEOUT,
                () -> api.get(path).expectStatus(200).json().path("finished").asBoolean());
    }

    /** Cancels the executions as soon as one has ended: until then, their calls have filled what they can fill. */
    private static AttackResult openCalls(
            SecurityTestServer arena, int executions, int millis, String character, Duration wallTime) {
        RestClient api = arena.api();
        ObjectNode batch = TestJson.object();
        ArrayNode items = batch.putArray("items");
        Stream.generate(TestJson::object).limit(executions).forEach(items::add);
        ObjectNode defaults = batch.putObject("defaults");
        defaults.putObject("limits").put("wallMillis", wallTime.toMillis());
        defaults.put(
                "code",
                "const text = '" + character + "'.repeat(250000);\n"
                        + "await Promise.all(Array.from({ length: 32 }, (empty, i) =>"
                        + " demo.slow({ millis: " + millis + ", value: i + text })));\nreturn 1;");
        String path = submitBatch(api, batch);
        Await.until("an execution has ended", TIMEOUT, () -> {
            JsonNode counts = api.get(path).expectStatus(200).json().path("counts");
            return TERMINAL.stream().anyMatch(state -> counts.path(state).asInt() > 0);
        });
        api.post(path + "/cancel", "").expectStatus(202);
        awaitEnd(api, path);
        List<JsonNode> ended = api.listAll(path + "/items?limit=200&results=true");
        return ResponseCheck.checkOutcomes(
                ended.stream().map(ToolCallAttacks::outcome).toList(), OUTCOMES, ended.toString());
    }

    private static String outcome(JsonNode item) {
        String state = item.path("state").asText();
        return state.equals("FAILED") || state.equals("TIMED_OUT")
                ? state + " " + item.path("error").path("code").asText()
                : state;
    }

    private static AttackResult longNames(SecurityTestServer arena) {
        return arena.run(SubmissionBody.javascript(LONG_NAMES));
    }
}
