package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Submission;

/** What a script runs for itself is run once. */
final class NestedExecutions implements Promise {
    private final Api api;
    private String parent = "";

    NestedExecutions(Api api) {
        this.api = api;
    }

    @Override
    public void make() {
        publish("shop.fees", "return demo.add({ a: args.price, b: 1 })");
        publish("shop.waits", HELD + "return 7");
        parent = api.submit(
                Submission.javascript(
                        "const waits = capabilities.shop.waits({}); return [await capabilities.shop.fees({ price: 1 }), await waits];"));
        Await.until(
                "the parent is parked",
                Duration.ofSeconds(120),
                () -> api.execution(parent).path("state").asText().equals("WAITING"));
    }

    private void publish(String name, String code) {
        api.post(
                        "/api/v1/capabilities",
                        Json.write(Json.object()
                                .put("name", name)
                                .put("version", "1.0.0")
                                .put("code", code)
                                .set("tools", Json.array().add("demo.*"))))
                .expect(201);
    }

    @Override
    public void assertKept() {
        JsonNode ended = api.awaitEnd(parent);
        assertThat(ended.path("result")).as(ended.toString()).isEqualTo(Json.read("[2, 7]"));
        assertThat(api.get(Api.EXECUTIONS + "/" + parent + "/children")
                        .expect(200)
                        .json()
                        .path("items"))
                .hasSize(2);
    }
}
