package org.sallyport.it.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** The node dies once at each point, with one script on it, and the next one on its data ends that script as it must. */
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailpointsIT {
    private static final String COUNTS = "return demo.counter_increment({ name: args });";
    /** Long enough that the answer is in the journal when the script ends. */
    private static final String COUNTS_AND_RESTS =
            "const n = await demo.counter_increment({ name: args }); await demo.slow({ millis: 600 }); return n;";

    private static final String PUTS = "await demo.kv_put({ key: args, value: 1 }); return demo.kv_get({ key: args });";
    private static final String READS = "return demo.add({ a: 1, b: 0 });";
    private static final String GOES_ON = "COMPLETED 1";
    private static final String UNKNOWN = "FAILED outcome-unknown";

    private final Installation installation = Installation.start(Plan.asAsked());

    /**
     * @param calls how often the connector is given the script's first call, in both lives
     * @param count what the counter stands at in the end
     */
    record Row(Failpoint point, String script, String end, int calls, int count) {}

    static Stream<Row> rows() {
        return Plan.asAsked().isLong() ? Stream.concat(effects(), repeatable()) : effects();
    }

    private static Stream<Row> effects() {
        return Stream.of(
                new Row(Failpoint.ACCEPTED, COUNTS, GOES_ON, 1, 1),
                new Row(Failpoint.CLAIMED, COUNTS, GOES_ON, 1, 1),
                // From here to the stored answer nobody can know: that it may have left is all that the journal says.
                new Row(Failpoint.CALL_JOURNALED, COUNTS, UNKNOWN, 0, 0),
                new Row(Failpoint.CALL_MADE, COUNTS, UNKNOWN, 1, 1),
                new Row(Failpoint.REPLY_HEARD, COUNTS, UNKNOWN, 1, 1),
                new Row(Failpoint.ENDED, COUNTS_AND_RESTS, GOES_ON, 1, 1));
    }

    private static Stream<Row> repeatable() {
        return Stream.of(
                new Row(Failpoint.CALL_JOURNALED, PUTS, GOES_ON, 1, 0),
                new Row(Failpoint.CALL_MADE, PUTS, GOES_ON, 2, 0),
                new Row(Failpoint.REPLY_HEARD, READS, GOES_ON, 2, 0));
    }

    @BeforeAll
    void warmUp() {
        assertThat(installation
                        .server()
                        .api()
                        .run(Submission.javascript(READS))
                        .path("result")
                        .asInt())
                .isEqualTo(1);
    }

    @AfterAll
    void end() {
        installation.close();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theNodeDiesThereAndTheNextOneEndsTheScriptAsItMust(Row row) {
        SallyportServer server = installation.server();
        String key = UUID.randomUUID().toString();
        String body =
                Submission.javascript(row.script()).args("\"" + key + "\"").json();
        installation.armoury().arm(row.point(), 1);

        submit(server, body, key);
        Await.until("the node dies at " + row.point(), Duration.ofSeconds(20), () -> !server.isAlive());
        assertThat(server.exitCode(Duration.ZERO)).isEqualTo(137);
        installation.armoury().disarm();
        server.begin();
        server.awaitReady();

        Answer again = server.api().send(server.api().submission(body, "Idempotency-Key", key));
        String id = again.json().path("id").asText();
        JsonNode ended = server.api().awaitEnd(id);
        assertThat(told(ended)).as(ended.toString()).isEqualTo(row.end());
        assertThat(installation.armoury().calls().stream().filter(call -> call.startsWith(id + "/1 ")))
                .hasSize(row.calls());
        JsonNode ledger = server.api()
                .run(Submission.javascript("return demo.counter_ledger({ name: args });")
                        .args("\"" + key + "\""))
                .path("result");
        assertThat(ledger).hasSize(row.count());
        ledger.forEach(call -> assertThat(call.asText()).isEqualTo(id + "/1"));
        assertThat(List.of(server.api().execution(id))).containsExactly(ended);
    }

    @Test
    void theNodeDiesWhileItDeletesWhatIsOldAndTheNextOneGoesOn() {
        SallyportServer server = installation.server();
        List<JsonNode> kept =
                IntStream.range(0, 3).mapToObj(any -> ended(server)).toList();
        List<String> old = IntStream.range(0, 5)
                .mapToObj(any -> ended(server).path("id").asText())
                .toList();
        server.kill();
        installation.age(old, Duration.ofDays(31));
        Books before = installation.read();
        installation.armoury().arm(Failpoint.PURGING, 1);

        server.begin();
        assertThat(server.exitCode(Duration.ofMinutes(4))).isEqualTo(137);
        assertThat(installation.read()).isEqualTo(before);
        installation.armoury().disarm();
        server.begin();
        server.awaitReady();

        for (String id : old) {
            Await.until(
                    id + " is deleted",
                    Duration.ofSeconds(60),
                    () -> server.api().get(Api.EXECUTIONS + "/" + id).status() == 404);
        }
        kept.forEach(each ->
                assertThat(server.api().execution(each.path("id").asText())).isEqualTo(each));
    }

    private static JsonNode ended(SallyportServer server) {
        return server.api().run(Submission.javascript("console.log('printed'); " + READS));
    }

    /** The node may die before it answers. */
    private static void submit(SallyportServer server, String body, String key) {
        try {
            Api api = server.api();
            api.send(api.submission(body, "Idempotency-Key", key)).expect(202);
        } catch (AssertionError noAnswer) {
            Await.until("the node that does not answer is dead", Duration.ofSeconds(5), () -> !server.isAlive());
        }
    }

    private static String told(JsonNode execution) {
        String state = execution.path("state").asText();
        return state.equals("COMPLETED")
                ? state + " " + execution.path("result").asText()
                : state + " " + execution.path("error").path("code").asText();
    }
}
