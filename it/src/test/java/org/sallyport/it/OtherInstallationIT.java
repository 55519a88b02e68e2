package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.it.harness.Wire;

/** Two installations, of which each has tools from the other. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OtherInstallationIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String LABELLED = Api.EXECUTIONS + "?limit=100&label=";

    private final SallyportServer here = ServerSetup.fresh("here").launch();
    private final ServerSetup otherSetup = ServerSetup.fresh("there");
    private final SallyportServer there = otherSetup.launch();
    private Wire wire;
    private Api api;
    private Api other;

    @BeforeAll
    void connect() {
        here.awaitReady();
        there.awaitReady();
        wire = new Wire(there.url().getPort());
        api = here.api();
        other = there.api();
        publish(api, "loop.again", "return await capabilities.loop.inner({})");
        publish(api, "loop.inner", "return await loop_there.again({})");
        publish(other, "loop.again", "return await loop_here.again({})");
        publish(other, "shop.fees", "return args.price + 1");
        String key = other.post("/api/v1/api-keys", "{\"name\":\"here\",\"roles\":[\"submitter\"]}")
                .expect(201)
                .json()
                .path("key")
                .asText();
        add(other, "loop_here", "capabilities.loop", here.url().toString(), here.adminKey());
        add(api, "loop_there", "capabilities.loop", wire.url(), key);
        add(api, "far", "demo", wire.url(), key);
        add(api, "shop", "capabilities.shop", wire.url(), key);
    }

    @AfterAll
    void stop() {
        here.close();
        there.close();
        wire.close();
    }

    private static void publish(Api where, String name, String code) {
        where.post(
                        "/api/v1/capabilities",
                        Json.write(Json.object()
                                .put("name", name)
                                .put("version", "1.0.0")
                                .put("code", code)
                                .set("tools", Json.read("[\"*\"]"))))
                .expect(201);
    }

    private static void add(Api where, String name, String namespace, String url, String key) {
        where.post(
                        "/api/v1/secrets",
                        Json.write(Json.object().put("name", name + "-key").put("value", key)))
                .expect(201);
        where.post("/api/v1/backends", """
                {"name": "%s", "kind": "sallyport", "settings": {"url": "%s", "key": "secret:%s-key", "namespace": "%s",
                 "allowPrivate": true, "refreshMillis": 1000}}""".formatted(name, url, name, namespace))
                .expect(201);
        awaitReady(where, name);
    }

    private static void awaitReady(Api where, String name) {
        Await.until(
                name + " is ready",
                PATIENCE,
                () -> where.get("/api/v1/backends/" + name)
                        .json()
                        .at("/status/state")
                        .asText()
                        .equals("ready"));
    }

    private JsonNode run(String code) {
        return api.run(Submission.javascript(code).limit("wallMillis", 60_000));
    }

    private static JsonNode count(Api where, String counter) {
        return where.run(Submission.javascript("return await demo.counter_read({ name: '" + counter + "' })"))
                .path("result");
    }

    /** The executions there that calls of an execution here have made. */
    private JsonNode madeBy(String execution, int call) {
        return other.get(LABELLED + "sallyport.call:" + execution + "/" + call)
                .expect(200)
                .json()
                .path("items");
    }

    @Test
    void aToolThereIsCalledLikeOneHere() {
        JsonNode ended = run("return [await far.add({ a: 2, b: 3 }), await shop.fees({ price: 4 }),"
                + " await far.fail({ message: 'no luck' }).catch((e) => [e.code, e.message])]");
        assertThat(ended.path("result").path(0)).as(ended.toString()).isEqualTo(Json.read("5"));
        assertThat(ended.path("result").path(1)).isEqualTo(Json.read("5"));
        assertThat(ended.path("result").path(2).toString()).contains("tool-failed", "no luck");
        JsonNode made = madeBy(ended.path("id").asText(), 1);
        assertThat(made).hasSize(1);
        assertThat(made.path(0).path("tier").asText()).isEqualTo("direct");
        assertThat(made.path(0).at("/labels/sallyport.hops").asText()).isEqualTo("1");
        assertThat(api.get("/api/v1/tools?backend=far").json().path("items").findValuesAsText("name"))
                .contains("far.add", "far.counter_increment");
        assertThat(api.get("/api/v1/backends/far").text())
                .contains("secret:far-key")
                .doesNotContain("sp_");
    }

    @Test
    void anEffectIsMadeOnceThoughTheConnectionBreaksBeforeItsAnswer() {
        wire.cut(2, "POST /api/v1/executions");
        JsonNode ended = run("return await far.counter_increment({ name: 'cut' })");
        assertThat(wire.lost()).isEqualTo(2);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(count(other, "cut").toString()).contains("1").doesNotContain("2");
        assertThat(madeBy(ended.path("id").asText(), 1)).hasSize(1);
    }

    @Test
    void anEffectIsNotMadeAgainWhenTheNodeThatSentItDied() {
        String id = api.submit(Submission.javascript(
                "return await far.counter_increment({ name: 'died', delayMillis: 20000 })" + ".catch((e) => e.code)"));
        Await.until(
                "it runs there",
                PATIENCE,
                () -> madeBy(id, 1).path(0).path("state").asText().equals("RUNNING"));
        here.kill();
        here.begin();
        here.awaitReady();
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("outcome-unknown");
        assertThat(ended.path("attempt").asInt()).isGreaterThan(1);
        assertThat(madeBy(id, 1)).hasSize(1);
        other.awaitEnd(madeBy(id, 1).path(0).path("id").asText());
        assertThat(count(other, "died").toString()).contains("1").doesNotContain("2");
        for (String name : new String[] {"far", "shop", "loop_there"}) {
            awaitReady(api, name);
        }
    }

    @Test
    void aCancelHereIsOneThere() {
        String id = api.submit(Submission.javascript("return await far.slow({ millis: 50000, value: 1 })"));
        Await.until(
                "it runs there",
                PATIENCE,
                () -> madeBy(id, 1).path(0).path("state").asText().equals("RUNNING"));
        api.post(Api.EXECUTIONS + "/" + id + "/cancel", "{}").expect(202);
        assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
        String made = madeBy(id, 1).path(0).path("id").asText();
        assertThat(other.awaitEnd(made).path("state").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void whatThePolicyThereSaysHoldsHere() {
        // Here, too, people would be asked first for what cannot be taken back.
        api.post("/api/v1/policies", """
                {"document": {"rules": [{"name": "there-decides", "tools": ["far.*"], "then": "allow"}], "otherwise": "standard"},
                 "comment": "it is asked about there"}""").expect(201);
        String id = api.submit(Submission.javascript("""
                await far.send_mail({ to: "a", subject: "s", body: "b" });
                const denied = await far.send_mail({ to: "a", subject: "s", body: "b" }).catch((e) => e.code);
                return ["sent", denied];
                """));
        decide("approve", "{}");
        decide("deny", "{\"note\": \"enough\"}");
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result")).as(ended.toString()).isEqualTo(Json.read("[\"sent\",\"denied\"]"));
    }

    private void decide(String how, String body) {
        JsonNode approval = Await.value(
                "somebody is asked there",
                PATIENCE,
                () -> Optional.of(other.get("/api/v1/approvals?state=pending")
                                .expect(200)
                                .json()
                                .path("items")
                                .path(0))
                        .filter(found -> found.hasNonNull("id")));
        other.post("/api/v1/approvals/" + approval.path("id").asText() + "/" + how, body)
                .expect(200);
    }

    @Test
    void aLoopEnds() {
        JsonNode ended = run("return await capabilities.loop.again({})");
        assertThat(ended.path("state").asText()).isEqualTo("FAILED");
        assertThat(ended.at("/error/code").asText()).isEqualTo("capability-failed");
        assertThat(hops(other, 1)).isPositive();
        assertThat(hops(other, 3)).isPositive();
        assertThat(hops(api, 4)).isPositive();
        assertThat(hops(other, 5) + hops(api, 5)).isZero();
    }

    private static int hops(Api where, int number) {
        return where.get(LABELLED + "sallyport.hops:" + number)
                .expect(200)
                .json()
                .path("items")
                .size();
    }
}
