package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** A failed execution whose next attempt was still delayed is run again, exactly as often as its policy says. */
final class RetryRecoveryScenario implements RecoveryScenario {
    private final RestClient api;
    private final String counter = "\"" + UUID.randomUUID() + "\"";
    private String first = "";
    private String second = "";
    private String distant = "";

    RetryRecoveryScenario(RestClient api) {
        this.api = api;
    }

    @Override
    public void prepare() {
        first = api.submit(failing(40_000));
        distant = api.submit(failing(3_600_000));
        second = awaitNextAttempt(first);
        String delayed = awaitNextAttempt(distant);
        for (String next : List.of(second, delayed)) {
            assertThat(api.getExecution(next).path("state").asText()).isEqualTo("PENDING");
        }
    }

    private SubmissionBody failing(long delayMillis) {
        return SubmissionBody.javascript("await demo.counter_increment({ name: args }); throw new Error('again');")
                .args(counter)
                .with(
                        "retry",
                        "{\"attempts\": 2, \"delayMillis\": " + delayMillis
                                + ", \"errorCodes\": [\"script-error\"], \"afterWrites\": true}");
    }

    private String awaitNextAttempt(String id) {
        JsonNode retry = api.awaitEnd(id).path("retry");
        assertThat(retry.has("next")).as(retry.toString()).isTrue();
        return retry.path("next").asText();
    }

    @Override
    public void assertRecovered() {
        JsonNode ended = api.awaitEnd(second);
        assertThat(ended.path("state").asText()).isEqualTo("FAILED");
        assertThat(ended.at("/retry/previous").asText()).isEqualTo(first);
        assertThat(ended.at("/retry/notRetried").asText()).isEqualTo("attempts");
        assertThat(api.getExecution(first).at("/retry/next").asText()).isEqualTo(second);

        String delayed = api.getExecution(distant).at("/retry/next").asText();
        JsonNode why = api.get(RestClient.EXECUTIONS + "/" + delayed + "/why").json();
        assertThat(why.path("reason").asText()).isEqualTo("retry");
        api.cancel(distant).expectStatus(202);
        assertThat(api.awaitEnd(delayed).path("state").asText()).isEqualTo("CANCELLED");

        List<String> calls = new ArrayList<>();
        api.run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                        .args(counter))
                .path("result")
                .forEach(call -> calls.add(call.asText()));
        assertThat(calls).containsExactlyInAnyOrder(first + "/1", second + "/1", distant + "/1");
    }
}
