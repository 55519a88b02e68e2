package org.sallyport.it.security;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;

/** Executions with journals as large as possible, and the requests that read such a journal. */
final class JournalAttacks {
    /**
     * Calls a tool until the journal is full. Each call adds 750 KB of arguments, and as much again if the tool returns
     * them. The value {@code code} is the error code of the call that the journal has no room for.
     */
    private static final String FILL_JOURNAL = """
            const text = '\u20ac'.repeat(250000);
            let code = '';
            for (let i = 0; i < 700 && code !== 'journal-limit'; i++) {
              try {
                await CALL;
              } catch (e) {
                code = e.code;
                if (code !== 'too-large' && code !== 'journal-limit') throw e;
              }
            }
            """;

    private static final String READ_CALL = "demo.slow({ millis: 0, value: i + text })";
    private static final String CHANGE_CALL = "demo.kv_put({ key: 'journal', value: i + text })";
    private static final String FULL = "COMPLETED \"journal-limit\"";
    private static final Set<String> READ = Set.of("200", "413 payload-too-large", "503 unavailable");

    private JournalAttacks() {}

    static List<AttackCase> all() {
        AttackExpectation contained = AttackExpectation.outcome(ResponseCheck.CONTAINED);
        return Stream.of(
                        AttackCase.of("F04", "a full journal, compared with itself", contained, JournalAttacks::diff),
                        AttackCase.of(
                                "F05", "a full journal, repeated offline four times", contained, JournalAttacks::rerun),
                        AttackCase.of(
                                "F06", "three full journals that are parked and wake", contained, JournalAttacks::wake),
                        AttackCase.of("F07", "a plan with a full journal", contained, JournalAttacks::plan),
                        AttackCase.of(
                                "F08",
                                "a full journal in the backtest of a policy and as a cached result",
                                contained,
                                JournalAttacks::backtestAndCache))
                .map(AttackCase::asSlow)
                .map(AttackCase::asExclusive)
                .toList();
    }

    private static SubmissionBody script(String call, String end) {
        return SubmissionBody.javascript(FILL_JOURNAL.replace("CALL", call) + end)
                .limit("wallMillis", 600_000);
    }

    /** State and result of an execution. */
    private static String outcome(JsonNode execution) {
        return execution.path("state").asText() + " "
                + execution.path("result")
                + execution.path("error").path("code").asText();
    }

    /** Fills a journal and returns the execution. */
    private static JsonNode fill(SecurityTestServer arena, SubmissionBody submission) {
        JsonNode ended = arena.api().run(submission);
        if (!outcome(ended).equals(FULL)) {
            throw new AssertionError("the journal did not end with its limit: " + outcome(ended));
        }
        return ended;
    }

    private static HttpRequest.Builder post(SecurityTestServer arena, String path, String json) {
        return arena.api()
                .request(path)
                .header("Content-Type", "application/json")
                .POST(RestClient.body(json));
    }

    private static AttackResult diff(SecurityTestServer arena) {
        String id = fill(arena, script(READ_CALL, "return code;")).path("id").asText();
        String path = RestClient.EXECUTIONS + "/" + id + "/diff?with=" + id;
        return ResponseCheck.checkResponses(
                ResponseCheck.sendTogether(arena.api(), 2, () -> arena.api().request(path)), READ);
    }

    private static AttackResult rerun(SecurityTestServer arena) {
        String id = fill(arena, script(READ_CALL, "return code;")).path("id").asText();
        String path = RestClient.EXECUTIONS + "/" + id + "/rerun";
        List<String> outcomes = new ArrayList<>();
        for (RestResponse answer :
                ResponseCheck.sendTogether(arena.api(), 4, () -> post(arena, path, "{\"mode\":\"offline\"}"))) {
            outcomes.add(outcome(arena.api()
                    .awaitEnd(answer.expectStatus(202).json().path("id").asText())));
        }
        return ResponseCheck.checkOutcomes(outcomes, Set.of(FULL), "");
    }

    /** The sleep is longer than {@code sallyport.runner.park-after-millis}. */
    private static AttackResult wake(SecurityTestServer arena) {
        SubmissionBody submission = script(READ_CALL, "await sleep(40000); return code;");
        List<String> ids =
                Stream.generate(() -> arena.api().submit(submission)).limit(3).toList();
        return ResponseCheck.checkOutcomes(
                ids.stream().map(id -> outcome(arena.api().awaitEnd(id))).toList(), Set.of(FULL), "");
    }

    private static AttackResult plan(SecurityTestServer arena) {
        JsonNode dry = fill(arena, script(CHANGE_CALL, "return code;").with("dryRun", "true"));
        String path = "/api/v1/plans/" + dry.path("id").asText();
        return ResponseCheck.checkResponses(
                ResponseCheck.sendTogether(arena.api(), 2, () -> arena.api().request(path)), READ);
    }

    private static AttackResult backtestAndCache(SecurityTestServer arena) {
        SubmissionBody cached = script(READ_CALL, "return code;").with("cache", "{\"maxAgeMillis\":3600000}");
        fill(arena, cached);
        fill(arena, cached);
        String document = "{\"rules\":[{\"name\":\"f08\",\"tools\":[\"demo.slow\"],\"decision\":\"deny\"}]}";
        return ResponseCheck.checkResponses(
                ResponseCheck.sendTogether(
                        arena.api(),
                        2,
                        () -> post(
                                arena,
                                "/api/v1/policies/backtest",
                                "{\"executions\":20,\"document\":" + document + "}")),
                READ);
    }
}
