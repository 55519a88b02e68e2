package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Ended executions are unchanged. Running executions resume or fail with the code {@code runner-lost}. Accepted
 * executions run once each.
 */
final class ExecutionRecoveryScenario implements RecoveryScenario {
    /** Number of executions that run until {@link #releaseScripts}. */
    private static final int RUNNING_COUNT = 4;

    private static final int COMPLETED_COUNT = 5;
    private static final int PENDING_COUNT = 20;

    private final RestClient api;
    private final String counter = "\"" + UUID.randomUUID() + "\"";
    private List<JsonNode> completed = List.of();
    private List<List<JsonNode>> traces = List.of();
    private List<String> running = List.of();
    private List<String> pending = List.of();
    private Instant notBefore = Instant.EPOCH;
    private String delayed = "";
    private String distant = "";

    ExecutionRecoveryScenario(RestClient api) {
        this.api = api;
    }

    @Override
    public void prepare() {
        completed = IntStream.range(0, COMPLETED_COUNT)
                .mapToObj(i -> api.run(SubmissionBody.javascript(
                                "console.log('n', args, '\uD83D\uDE00'); await demo.add({ a: args, b: 1 }); return { "
                                        + "n: args };")
                        .args(Integer.toString(i))))
                .toList();
        traces = completed.stream().map(each -> api.getTrace(id(each))).toList();
        running = IntStream.range(0, RUNNING_COUNT)
                .mapToObj(i -> api.submit(SubmissionBody.javascript("console.error('first'); " + WAIT_FOR_RELEASE
                                + "console.error('second'); console.log('done');"
                                + " return demo.add({ a: args, b: 1 });")
                        .args(Integer.toString(i))
                        .with("durability", i == 0 ? "\"none\"" : "\"journal\"")))
                .toList();
        running.forEach(id -> api.awaitOutput(id, "begun"));
        pending = IntStream.range(0, PENDING_COUNT)
                .mapToObj(i -> api.submit(countingSubmission()))
                .toList();
        notBefore = Instant.now().plusSeconds(20);
        delayed = api.submit(countingSubmission().with("notBefore", "\"" + notBefore + "\""));
        distant = api.submit(SubmissionBody.javascript("return 1;").with("delayMillis", "86400000"));
    }

    private SubmissionBody countingSubmission() {
        return SubmissionBody.javascript("return demo.counter_increment({ name: args });")
                .args(counter);
    }

    @Override
    public void assertRecovered() {
        completed.forEach(before -> assertThat(api.getExecution(id(before))).isEqualTo(before));
        assertThat(completed.stream().map(each -> api.getTrace(id(each)))).isEqualTo(traces);
        JsonNode brief = api.awaitEnd(running.get(0));
        assertThat(brief.path("state").asText()).isEqualTo("FAILED");
        assertThat(brief.path("error").path("code").asText()).isEqualTo("runner-lost");
        for (int i = 1; i < running.size(); i++) {
            JsonNode ended = api.awaitEnd(running.get(i));
            assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(i + 1);
            assertThat(ended.path("output").asText()).isEqualTo("begun\ndone\n");
            assertThat(outputInOrder(id(ended))).isEqualTo("0 first\n6 begun\n12 second\n19 done\n");
            // A call that takes more than a second parks the execution, which adds one attempt.
            assertThat(ended.path("attempt").asInt()).isGreaterThanOrEqualTo(2);
        }
        assertThat(api.get(RestClient.EXECUTIONS + "/" + distant + "/why")
                        .json()
                        .path("reason")
                        .asText())
                .isEqualTo("scheduled");
        api.cancel(distant);
        assertThat(api.awaitEnd(distant).path("state").asText()).isEqualTo("CANCELLED");
        assertThat(Instant.parse(api.awaitEnd(delayed).path("startedAt").asText()))
                .isAfterOrEqualTo(notBefore.truncatedTo(ChronoUnit.MICROS));
        List<String> counted = new ArrayList<>(pending);
        counted.add(delayed);
        for (String id : counted) {
            assertThat(api.awaitEnd(id).path("state").asText()).as(id).isEqualTo("COMPLETED");
        }
        List<String> calls = new ArrayList<>();
        api.run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                        .args(counter))
                .path("result")
                .forEach(call -> calls.add(call.asText()));
        assertThat(calls)
                .containsExactlyInAnyOrderElementsOf(
                        counted.stream().map(id -> id + "/1").toList());
        assertThat(api.listExecutionIds(item -> running.contains(id(item)) || pending.contains(id(item))))
                .hasSize(RUNNING_COUNT + PENDING_COUNT);
    }

    /** The pieces of the output, each with its sequence. */
    private String outputInOrder(String id) {
        StringBuilder text = new StringBuilder();
        api.get(RestClient.EXECUTIONS + "/" + id + "/output/pieces")
                .expectStatus(200)
                .json()
                .path("pieces")
                .forEach(piece -> text.append(piece.path("sequence").asLong())
                        .append(' ')
                        .append(piece.path("text").asText()));
        return text.toString();
    }

    private static String id(JsonNode execution) {
        return execution.path("id").asText();
    }
}
