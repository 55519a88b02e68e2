package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;

/** The costs of calls are neither lost nor charged twice. */
final class CostRecoveryScenario implements RecoveryScenario {
    private static final String CALLS = "for (let i = 0; i < 5; i++) await demo.echo(i);\n";

    private final RestClient api;
    private String id = "";

    CostRecoveryScenario(RestClient api) {
        this.api = api;
    }

    @Override
    public void prepare() {
        api.post(
                        "/api/v1/policies",
                        "{\"document\": {\"rules\": [], \"costs\": [{\"tools\": [\"demo.echo\"], \"cost\": 1}]}}")
                .expectStatus(201);
        id = api.submit(SubmissionBody.javascript(CALLS + WAIT_FOR_RELEASE + CALLS + "return 'done'"));
        api.awaitOutput(id, "begun");
    }

    @Override
    public void assertRecovered() {
        JsonNode end = api.awaitEnd(id);
        assertThat(end.path("result").asText()).as(end.toString()).isEqualTo("done");
        assertThat(end.path("attempt").asInt()).isGreaterThan(1);
        assertThat(end.path("cost").decimalValue()).isEqualByComparingTo("10");
        assertThat(api.get("/api/v1/costs").expectStatus(200).text())
                .contains("\"name\":\"demo.echo\",\"cost\":10,\"calls\":10");
    }
}
