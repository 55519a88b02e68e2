package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** A nested execution of a script runs once. */
final class NestedExecutionRecoveryScenario implements RecoveryScenario {
    private final RestClient api;
    private String parent = "";

    NestedExecutionRecoveryScenario(RestClient api) {
        this.api = api;
    }

    @Override
    public void prepare() {
        publish("shop.fees", "return demo.add({ a: args.price, b: 1 })");
        publish("shop.waits", WAIT_FOR_RELEASE + "return 7");
        parent = api.submit(SubmissionBody.javascript(
                "const waits = capabilities.shop.waits({}); return [await capabilities.shop.fees({ price: 1 "
                        + "}), await waits];"));
        Await.until(
                "the parent is parked",
                Duration.ofSeconds(120),
                () -> api.getExecution(parent).path("state").asText().equals("WAITING"));
    }

    private void publish(String name, String code) {
        api.post(
                        "/api/v1/capabilities",
                        TestJson.write(TestJson.object()
                                .put("name", name)
                                .put("version", "1.0.0")
                                .put("code", code)
                                .set("tools", TestJson.array().add("demo.*"))))
                .expectStatus(201);
    }

    @Override
    public void assertRecovered() {
        JsonNode ended = api.awaitEnd(parent);
        assertThat(ended.path("result")).as(ended.toString()).isEqualTo(TestJson.read("[2, 7]"));
        assertThat(api.get(RestClient.EXECUTIONS + "/" + parent + "/children")
                        .expectStatus(200)
                        .json()
                        .path("items"))
                .hasSize(2);
    }
}
