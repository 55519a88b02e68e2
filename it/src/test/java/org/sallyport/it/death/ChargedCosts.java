package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Submission;

/** What calls cost is neither lost nor charged twice. */
final class ChargedCosts implements Promise {
    private static final String CALLS = "for (let i = 0; i < 5; i++) await demo.echo(i);\n";

    private final Api api;
    private String id = "";

    ChargedCosts(Api api) {
        this.api = api;
    }

    @Override
    public void make() {
        api.post(
                        "/api/v1/policies",
                        "{\"document\": {\"rules\": [], \"costs\": [{\"tools\": [\"demo.echo\"], \"cost\": 1}]}}")
                .expect(201);
        id = api.submit(Submission.javascript(CALLS + HELD + CALLS + "return 'done'"));
        api.awaitOutput(id, "begun");
    }

    @Override
    public void assertKept() {
        JsonNode end = api.awaitEnd(id);
        assertThat(end.path("result").asText()).as(end.toString()).isEqualTo("done");
        assertThat(end.path("attempt").asInt()).isGreaterThan(1);
        assertThat(end.path("cost").decimalValue()).isEqualByComparingTo("10");
        assertThat(api.get("/api/v1/costs").expect(200).text())
                .contains("\"name\":\"demo.echo\",\"cost\":10,\"calls\":10");
    }
}
