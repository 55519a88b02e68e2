package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.UseServer;

/** Executions that are parked while they wait for the capabilities that they run. */
@Tag("slow")
@UseServer(ServerProfile.PARKING)
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NestedParkingIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RestClient api;

    NestedParkingIT(TestTenant tenant) {
        this.api = tenant.api();
    }

    @BeforeAll
    void publish() {
        publish("shop.slow", "return demo.slow({ millis: 1500, value: args.value })", "demo.slow");
        publish("shop.hangs", "await sleep(600_000)");
    }

    private void publish(String name, String code, String... tools) {
        var capability =
                TestJson.object().put("name", name).put("version", "1.0.0").put("code", code);
        List.of(tools).forEach(capability.putArray("tools")::add);
        api.post("/api/v1/capabilities", TestJson.write(capability)).expectStatus(201);
    }

    private List<JsonNode> children(String id) {
        List<JsonNode> all = new ArrayList<>();
        api.get(RestClient.EXECUTIONS + "/" + id + "/children")
                .expectStatus(200)
                .json()
                .path("items")
                .forEach(all::add);
        return all;
    }

    @Test
    void cancellingAParkedParentCancelsItsChild() {
        String parent = api.submit(SubmissionBody.javascript("return capabilities.shop.hangs({});"));
        Await.until("a child", TIMEOUT, () -> !children(parent).isEmpty());
        String child = children(parent).get(0).path("id").asText();
        Await.until(
                "the parent to be parked",
                TIMEOUT,
                () -> api.getExecution(parent).path("state").asText().equals("WAITING"));

        api.cancel(parent).expectStatus(202);

        assertThat(api.awaitEnd(child).path("state").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void parentsBeyondTheSlotLimitDoNotDeadlock() {
        List<String> parents = IntStream.range(0, 3 * ServerProfile.MAX_LIVE_EXECUTIONS)
                .mapToObj(i -> api.submit(SubmissionBody.javascript("return capabilities.shop.slow({ value: args });")
                        .args(Integer.toString(i))))
                .toList();

        for (int i = 0; i < parents.size(); i++) {
            JsonNode ended = api.awaitEnd(parents.get(i));
            assertThat(ended.path("result").asInt(-1)).as(ended.toString()).isEqualTo(i);
        }
    }
}
