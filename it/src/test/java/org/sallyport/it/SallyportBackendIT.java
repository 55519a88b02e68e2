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
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.FaultInjectingProxy;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Two installations, each of which uses tools of the other as a backend. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SallyportBackendIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String BY_LABEL = RestClient.EXECUTIONS + "?limit=100&label=";

    private final SallyportServer localServer = ServerSetup.create("here").launch();
    private final ServerSetup remoteSetup = ServerSetup.create("there");
    private final SallyportServer remoteServer = remoteSetup.launch();
    private FaultInjectingProxy proxy;
    private RestClient api;
    private RestClient remoteApi;

    @BeforeAll
    void connect() {
        localServer.awaitReady();
        remoteServer.awaitReady();
        proxy = new FaultInjectingProxy(remoteServer.url().getPort());
        api = localServer.api();
        remoteApi = remoteServer.api();
        publish(api, "loop.again", "return await capabilities.loop.inner({})");
        publish(api, "loop.inner", "return await loop_there.again({})");
        publish(remoteApi, "loop.again", "return await loop_here.again({})");
        publish(remoteApi, "shop.fees", "return args.price + 1");
        String key = remoteApi
                .post("/api/v1/api-keys", "{\"name\":\"here\",\"roles\":[\"submitter\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        addBackend(
                remoteApi, "loop_here", "capabilities.loop", localServer.url().toString(), localServer.adminKey());
        addBackend(api, "loop_there", "capabilities.loop", proxy.url(), key);
        addBackend(api, "far", "demo", proxy.url(), key);
        addBackend(api, "shop", "capabilities.shop", proxy.url(), key);
    }

    @AfterAll
    void stop() {
        localServer.close();
        remoteServer.close();
        proxy.close();
    }

    private static void publish(RestClient where, String name, String code) {
        where.post(
                        "/api/v1/capabilities",
                        TestJson.write(TestJson.object()
                                .put("name", name)
                                .put("version", "1.0.0")
                                .put("code", code)
                                .set("tools", TestJson.read("[\"*\"]"))))
                .expectStatus(201);
    }

    private static void addBackend(RestClient where, String name, String namespace, String url, String key) {
        where.post(
                        "/api/v1/secrets",
                        TestJson.write(
                                TestJson.object().put("name", name + "-key").put("value", key)))
                .expectStatus(201);
        where.post("/api/v1/backends", """
                {"name": "%s", "kind": "sallyport", "settings": {"url": "%s", "key": "secret:%s-key", "namespace": "%s",
                 "allowPrivate": true, "refreshMillis": 1000}}""".formatted(name, url, name, namespace))
                .expectStatus(201);
        awaitReady(where, name);
    }

    private static void awaitReady(RestClient where, String name) {
        Await.until(
                name + " is ready",
                TIMEOUT,
                () -> where.get("/api/v1/backends/" + name)
                        .json()
                        .at("/status/state")
                        .asText()
                        .equals("ready"));
    }

    private JsonNode run(String code) {
        return api.run(SubmissionBody.javascript(code).limit("wallMillis", 60_000));
    }

    private static JsonNode readCounter(RestClient where, String counter) {
        return where.run(SubmissionBody.javascript("return await demo.counter_read({ name: '" + counter + "' })"))
                .path("result");
    }

    /** The executions of the remote installation that calls of a local execution created. */
    private JsonNode executionsOfCall(String execution, int call) {
        return remoteApi
                .get(BY_LABEL + "sallyport.call:" + execution + "/" + call)
                .expectStatus(200)
                .json()
                .path("items");
    }

    @Test
    void remoteToolIsCalledLikeALocalTool() {
        JsonNode ended = run("return [await far.add({ a: 2, b: 3 }), await shop.fees({ price: 4 }),"
                + " await far.fail({ message: 'no luck' }).catch((e) => [e.code, e.message])]");
        assertThat(ended.path("result").path(0)).as(ended.toString()).isEqualTo(TestJson.read("5"));
        assertThat(ended.path("result").path(1)).isEqualTo(TestJson.read("5"));
        assertThat(ended.path("result").path(2).toString()).contains("tool-failed", "no luck");
        JsonNode remoteExecutions = executionsOfCall(ended.path("id").asText(), 1);
        assertThat(remoteExecutions).hasSize(1);
        assertThat(remoteExecutions.path(0).path("tier").asText()).isEqualTo("direct");
        assertThat(remoteExecutions.path(0).at("/labels/sallyport.hops").asText())
                .isEqualTo("1");
        assertThat(api.get("/api/v1/tools?backend=far").json().path("items").findValuesAsText("name"))
                .contains("far.add", "far.counter_increment");
        assertThat(api.get("/api/v1/backends/far").text())
                .contains("secret:far-key")
                .doesNotContain("sp_");
    }

    @Test
    void effectIsMadeOnceIfTheConnectionBreaksBeforeTheReply() {
        proxy.dropResponses(2, "POST /api/v1/executions");
        JsonNode ended = run("return await far.counter_increment({ name: 'cut' })");
        assertThat(proxy.droppedResponses()).isEqualTo(2);
        assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
        assertThat(readCounter(remoteApi, "cut").toString()).contains("1").doesNotContain("2");
        assertThat(executionsOfCall(ended.path("id").asText(), 1)).hasSize(1);
    }

    @Test
    void effectIsNotRepeatedAfterTheCallingNodeDies() {
        String id = api.submit(SubmissionBody.javascript(
                "return await far.counter_increment({ name: 'died', delayMillis: 20000 })" + ".catch((e) => e.code)"));
        Await.until(
                "it runs there",
                TIMEOUT,
                () -> executionsOfCall(id, 1).path(0).path("state").asText().equals("RUNNING"));
        localServer.kill();
        localServer.startProcess();
        localServer.awaitReady();
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("outcome-unknown");
        assertThat(ended.path("attempt").asInt()).isGreaterThan(1);
        assertThat(executionsOfCall(id, 1)).hasSize(1);
        remoteApi.awaitEnd(executionsOfCall(id, 1).path(0).path("id").asText());
        assertThat(readCounter(remoteApi, "died").toString()).contains("1").doesNotContain("2");
        for (String name : new String[] {"far", "shop", "loop_there"}) {
            awaitReady(api, name);
        }
    }

    @Test
    void localCancelCancelsTheRemoteExecution() {
        String id = api.submit(SubmissionBody.javascript("return await far.slow({ millis: 50000, value: 1 })"));
        Await.until(
                "it runs there",
                TIMEOUT,
                () -> executionsOfCall(id, 1).path(0).path("state").asText().equals("RUNNING"));
        api.post(RestClient.EXECUTIONS + "/" + id + "/cancel", "{}").expectStatus(202);
        assertThat(api.awaitEnd(id).path("state").asText()).isEqualTo("CANCELLED");
        String remoteId = executionsOfCall(id, 1).path(0).path("id").asText();
        assertThat(remoteApi.awaitEnd(remoteId).path("state").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void remotePolicyAppliesToForwardedCalls() {
        // Without this rule the local standard policy would also require approval before an irreversible call.
        api.post("/api/v1/policies", """
                {"document": {"rules": [{"name": "there-decides", "tools": ["far.*"], "decision": "allow"}],
                  "otherwise": "standard"},
                 "comment": "it is asked about there"}""").expectStatus(201);
        String id = api.submit(SubmissionBody.javascript("""
                await far.send_mail({ to: "a", subject: "s", body: "b" });
                const denied = await far.send_mail({ to: "a", subject: "s", body: "b" }).catch((e) => e.code);
                return ["sent", denied];
                """));
        decideRemoteApproval("approve", "{}");
        decideRemoteApproval("deny", "{\"note\": \"enough\"}");
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result")).as(ended.toString()).isEqualTo(TestJson.read("[\"sent\",\"denied\"]"));
    }

    private void decideRemoteApproval(String how, String body) {
        JsonNode approval = Await.untilPresent(
                "somebody is asked there",
                TIMEOUT,
                () -> Optional.of(remoteApi
                                .get("/api/v1/approvals?state=pending")
                                .expectStatus(200)
                                .json()
                                .path("items")
                                .path(0))
                        .filter(found -> found.hasNonNull("id")));
        remoteApi
                .post("/api/v1/approvals/" + approval.path("id").asText() + "/" + how, body)
                .expectStatus(200);
    }

    @Test
    void loopBetweenInstallationsEnds() {
        JsonNode ended = run("return await capabilities.loop.again({})");
        assertThat(ended.path("state").asText()).isEqualTo("FAILED");
        assertThat(ended.at("/error/code").asText()).isEqualTo("capability-failed");
        assertThat(countByHops(remoteApi, 1)).isPositive();
        assertThat(countByHops(remoteApi, 3)).isPositive();
        assertThat(countByHops(api, 4)).isPositive();
        assertThat(countByHops(remoteApi, 5) + countByHops(api, 5)).isZero();
    }

    private static int countByHops(RestClient where, int number) {
        return where.get(BY_LABEL + "sallyport.hops:" + number)
                .expectStatus(200)
                .json()
                .path("items")
                .size();
    }
}
