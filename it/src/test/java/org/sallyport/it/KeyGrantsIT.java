package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** What an administrator granted a key bounds what is called in its name, when it submits and while it runs. */
@ExtendWith(Servers.class)
class KeyGrantsIT {
    private static final String KEYS = "/api/v1/api-keys";

    /** Calls until it may not, and tells why. */
    private static final String UNTIL_REFUSED = "console.log('begun'); for (;;) {"
            + " try { await demo.add({ a: 1, b: 1 }); } catch (e) { return [e.code, e.details.rule]; } await sleep(200); }";

    private final Api admin;

    KeyGrantsIT(SallyportServer server) {
        server.awaitReady();
        this.admin = server.api();
    }

    private record Key(String id, Api api) {}

    private Key key(String grants) {
        JsonNode issued = admin.post(
                        KEYS, "{\"name\": \"bounded\", \"roles\": [\"submitter\"], \"grants\": " + grants + "}")
                .expect(201)
                .json();
        return new Key(issued.path("id").asText(), admin.as(issued.path("key").asText()));
    }

    private static Answer grant(Api who, String id, String grants) {
        return who.send(who.request(KEYS + "/" + id + "/grants")
                .header("Content-Type", "application/json")
                .method("PUT", Api.body("{\"grants\": " + grants + "}")));
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    @Test
    void whatIsSubmittedWithItGetsNoMoreThanItHolds() {
        Api bounded = key("[\"demo.add\", \"demo.counter_*\"]").api();
        String script = "return [await demo.add({ a: 1, b: 2 }),"
                + " await demo.slow({ millis: 1, value: 1 }).catch((e) => e.code)];";

        for (Submission asked : List.of(
                Submission.javascript(script), Submission.javascript(script).grants("demo.*"))) {
            JsonNode ended = bounded.run(asked);
            assertThat(ended.path("result").toString()).as(ended.toString()).isEqualTo("[3,\"not-granted\"]");
            assertThat(texts(ended.path("grants"))).containsExactlyInAnyOrder("demo.add", "demo.counter_*");
        }
        JsonNode less = bounded.run(Submission.javascript("return 1").grants("demo.counter_get"));
        assertThat(texts(less.path("grants"))).containsExactly("demo.counter_get");
    }

    @Test
    void whatIsTakenFromItIsRefusedToWhatRuns() {
        Key key = key("[\"demo.*\"]");
        String id = key.api().submit(Submission.javascript(UNTIL_REFUSED));
        key.api().awaitOutput(id, "begun");

        assertThat(texts(grant(admin, key.id(), "[\"demo.counter_*\"]")
                        .expect(200)
                        .json()
                        .path("grants")))
                .containsExactly("demo.counter_*");

        assertThat(key.api().awaitEnd(id).path("result").toString()).isEqualTo("[\"denied\",\"key-grants\"]");
        assertThat(texts(key.api().run(Submission.javascript("return 1")).path("grants")))
                .containsExactly("demo.counter_*");
    }

    @Test
    void nothingIsCalledInTheNameOfAKeyThatIsNoMore() {
        Key key = key("[\"*\"]");
        String id = key.api().submit(Submission.javascript(UNTIL_REFUSED));
        key.api().awaitOutput(id, "begun");

        admin.send(admin.request(KEYS + "/" + key.id()).DELETE()).expect(204);

        assertThat(admin.awaitEnd(id).path("result").toString()).isEqualTo("[\"denied\",\"key-deleted\"]");
    }

    @Test
    void onlyAnAdministratorChangesThemAndTheListShowsThem() {
        Key key = key("[\"demo.add\"]");

        assertThat(grant(key.api(), key.id(), "[\"*\"]").status()).isEqualTo(403);
        assertThat(grant(admin, "nosuchkey123", "[\"*\"]").status()).isEqualTo(404);
        assertThat(grant(admin, key.id(), "[\"" + "x".repeat(400) + "\"]").status())
                .isEqualTo(400);

        JsonNode listed = StreamSupport.stream(
                        admin.get(KEYS).expect(200).json().path("items").spliterator(), false)
                .filter(item -> item.path("id").asText().equals(key.id()))
                .findFirst()
                .orElseThrow();
        assertThat(texts(listed.path("grants"))).containsExactly("demo.add");
    }
}
