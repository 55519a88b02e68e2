package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.StreamSupport;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** The tool graph learns from each execution once, even if the server dies immediately after the execution ended. */
final class ToolGraphRecoveryScenario implements RecoveryScenario {
    private static final String READ_CALL = "await demo.counter_read({ name: 'k' });\n";

    private final RestClient api;

    ToolGraphRecoveryScenario(RestClient api) {
        this.api = api;
    }

    @Override
    public void prepare() {
        api.run(SubmissionBody.javascript(READ_CALL + READ_CALL));
    }

    @Override
    public void assertRecovered() {
        awaitCalls(2);
        api.run(SubmissionBody.javascript(READ_CALL));
        awaitCalls(3);
        assertThat(countLearnedCalls()).isEqualTo(3);
    }

    private void awaitCalls(int expected) {
        Await.until("they are learned", Duration.ofSeconds(120), () -> countLearnedCalls() == expected);
    }

    private int countLearnedCalls() {
        return StreamSupport.stream(
                        api.get("/api/v1/tool-graph")
                                .expectStatus(200)
                                .json()
                                .path("nodes")
                                .spliterator(),
                        false)
                .filter(node -> node.path("tool").asText().equals("demo.counter_read"))
                .mapToInt(node -> node.path("calls").asInt())
                .sum();
    }
}
