package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/**
 * The grants that an administrator gives an API key limit the tool calls made with that key, at submission and at run
 * time.
 */
@ExtendWith(ServerExtension.class)
class ApiKeyGrantsIT {
    private static final String KEYS = "/api/v1/api-keys";

    /** Calls a tool until the service refuses the call, then returns the error code and the rule. */
    private static final String CALL_UNTIL_REFUSED = "console.log('begun'); for (;;) {"
            + " try { await demo.add({ a: 1, b: 1 }); } catch (e) { return [e.code, e.details.rule]; } await "
            + "sleep(200); }";

    private final RestClient admin;

    ApiKeyGrantsIT(SallyportServer server) {
        server.awaitReady();
        this.admin = server.api();
    }

    private record GrantedKey(String id, RestClient api) {}

    private GrantedKey createKey(String grants) {
        JsonNode issued = admin.post(
                        KEYS, "{\"name\": \"bounded\", \"roles\": [\"submitter\"], \"grants\": " + grants + "}")
                .expectStatus(201)
                .json();
        return new GrantedKey(
                issued.path("id").asText(), admin.withKey(issued.path("key").asText()));
    }

    private static RestResponse putGrants(RestClient who, String id, String grants) {
        return who.send(who.request(KEYS + "/" + id + "/grants")
                .header("Content-Type", "application/json")
                .method("PUT", RestClient.body("{\"grants\": " + grants + "}")));
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    @Test
    void executionGetsAtMostTheGrantsOfItsKey() {
        RestClient bounded = createKey("[\"demo.add\", \"demo.counter_*\"]").api();
        String script = "return [await demo.add({ a: 1, b: 2 }),"
                + " await demo.slow({ millis: 1, value: 1 }).catch((e) => e.code)];";

        for (SubmissionBody asked : List.of(
                SubmissionBody.javascript(script),
                SubmissionBody.javascript(script).grants("demo.*"))) {
            JsonNode ended = bounded.run(asked);
            assertThat(ended.path("result").toString()).as(ended.toString()).isEqualTo("[3,\"not-granted\"]");
            assertThat(texts(ended.path("grants"))).containsExactlyInAnyOrder("demo.add", "demo.counter_*");
        }
        JsonNode less = bounded.run(SubmissionBody.javascript("return 1").grants("demo.counter_get"));
        assertThat(texts(less.path("grants"))).containsExactly("demo.counter_get");
    }

    @Test
    void runningExecutionLosesGrantsRemovedFromItsKey() {
        GrantedKey key = createKey("[\"demo.*\"]");
        String id = key.api().submit(SubmissionBody.javascript(CALL_UNTIL_REFUSED));
        key.api().awaitOutput(id, "begun");

        assertThat(texts(putGrants(admin, key.id(), "[\"demo.counter_*\"]")
                        .expectStatus(200)
                        .json()
                        .path("grants")))
                .containsExactly("demo.counter_*");

        assertThat(key.api().awaitEnd(id).path("result").toString()).isEqualTo("[\"denied\",\"key-grants\"]");
        assertThat(texts(key.api().run(SubmissionBody.javascript("return 1")).path("grants")))
                .containsExactly("demo.counter_*");
    }

    @Test
    void toolCallsOfADeletedKeyAreDenied() {
        GrantedKey key = createKey("[\"*\"]");
        String id = key.api().submit(SubmissionBody.javascript(CALL_UNTIL_REFUSED));
        key.api().awaitOutput(id, "begun");

        admin.send(admin.request(KEYS + "/" + key.id()).DELETE()).expectStatus(204);

        assertThat(admin.awaitEnd(id).path("result").toString()).isEqualTo("[\"denied\",\"key-deleted\"]");
    }

    @Test
    void onlyAdministratorsChangeGrantsAndTheKeyListShowsThem() {
        GrantedKey key = createKey("[\"demo.add\"]");

        assertThat(putGrants(key.api(), key.id(), "[\"*\"]").status()).isEqualTo(403);
        assertThat(putGrants(admin, "nosuchkey123", "[\"*\"]").status()).isEqualTo(404);
        assertThat(putGrants(admin, key.id(), "[\"" + "x".repeat(400) + "\"]").status())
                .isEqualTo(400);

        JsonNode listed = StreamSupport.stream(
                        admin.get(KEYS).expectStatus(200).json().path("items").spliterator(), false)
                .filter(item -> item.path("id").asText().equals(key.id()))
                .findFirst()
                .orElseThrow();
        assertThat(texts(listed.path("grants"))).containsExactly("demo.add");
    }
}
