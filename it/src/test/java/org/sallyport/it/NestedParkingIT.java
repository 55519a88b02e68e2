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
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Profile;
import org.sallyport.it.harness.Server;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Tenant;

/** Executions that are parked while they wait for capabilities that they run. */
@Tag("slow")
@Server(Profile.PARKING)
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NestedParkingIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Api api;

    NestedParkingIT(Tenant tenant) {
        this.api = tenant.api();
    }

    @BeforeAll
    void publish() {
        publish("shop.slow", "return demo.slow({ millis: 1500, value: args.value })", "demo.slow");
        publish("shop.hangs", "await sleep(600_000)");
    }

    private void publish(String name, String code, String... tools) {
        var capability = Json.object().put("name", name).put("version", "1.0.0").put("code", code);
        List.of(tools).forEach(capability.putArray("tools")::add);
        api.post("/api/v1/capabilities", Json.write(capability)).expect(201);
    }

    private List<JsonNode> children(String id) {
        List<JsonNode> all = new ArrayList<>();
        api.get(Api.EXECUTIONS + "/" + id + "/children")
                .expect(200)
                .json()
                .path("items")
                .forEach(all::add);
        return all;
    }

    @Test
    void cancellingAParkedParentCancelsItsChild() {
        String parent = api.submit(Submission.javascript("return capabilities.shop.hangs({});"));
        Await.until("a child", SOON, () -> !children(parent).isEmpty());
        String child = children(parent).get(0).path("id").asText();
        Await.until(
                "the parent to be parked",
                SOON,
                () -> api.execution(parent).path("state").asText().equals("WAITING"));

        api.cancel(parent).expect(202);

        assertThat(api.awaitEnd(child).path("state").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void moreParentsThanTheServerHoldsDoNotWaitForEachOther() {
        List<String> parents = IntStream.range(0, 3 * Profile.PLACES)
                .mapToObj(i -> api.submit(Submission.javascript("return capabilities.shop.slow({ value: args });")
                        .args(Integer.toString(i))))
                .toList();

        for (int i = 0; i < parents.size(); i++) {
            JsonNode ended = api.awaitEnd(parents.get(i));
            assertThat(ended.path("result").asInt(-1)).as(ended.toString()).isEqualTo(i);
        }
    }
}
