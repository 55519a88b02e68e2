package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.EventStreamClient;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;

/** Inbound webhooks: their management, and deliveries without an API key. */
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InboundWebhooksIT {
    private static final String WEBHOOKS = "/api/v1/inbound-webhooks";
    private static final String EVENTS = "/api/v1/events";
    private static final String SECRET = "hunter2-4711-webhook";

    private final TestTenant tenant;
    private final RestClient api;
    private final OpenApiResponseValidator description;

    InboundWebhooksIT(TestTenant tenant) {
        this.tenant = tenant;
        this.api = tenant.api();
        this.description = OpenApiResponseValidator.of(api);
    }

    private JsonNode assertDescribed(String method, String path, int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate(method, path, answer))
                .as(answer.toString())
                .isEmpty();
        return answer.text().isEmpty() ? TestJson.object() : answer.json();
    }

    private JsonNode create(RestClient client, String body, int status) {
        return assertDescribed("POST", WEBHOOKS, status, client.post(WEBHOOKS, body));
    }

    private JsonNode create(String body) {
        return create(api, body, 201);
    }

    private RestResponse deliver(JsonNode webhook, String body, String... headers) {
        HttpRequest.Builder request =
                api.withoutKey().request(webhook.path("path").asText()).header("Content-Type", "application/json");
        return api.send((headers.length == 0 ? request : request.headers(headers)).POST(RestClient.body(body)));
    }

    private JsonNode find(JsonNode webhook) {
        for (JsonNode each :
                assertDescribed("GET", WEBHOOKS, 200, api.get(WEBHOOKS)).path("items")) {
            if (each.path("id").equals(webhook.path("id"))) {
                return each;
            }
        }
        throw new AssertionError("not listed: " + webhook);
    }

    private JsonNode awaitExecution(String label) {
        String id = Await.untilPresent(
                "it is started",
                Duration.ofSeconds(60),
                () -> Optional.of(executions(label))
                        .filter(items -> !items.isEmpty())
                        .map(items -> items.path(0).path("id").asText()));
        return api.awaitEnd(id);
    }

    private JsonNode executions(String label) {
        return api.get(RestClient.EXECUTIONS + "?label=sallyport.webhook:" + label)
                .expectStatus(200)
                .json()
                .path("items");
    }

    /** Counts the stored events of a name. */
    private long countEvents(String name) {
        String last = "counted-" + UUID.randomUUID();
        api.post(EVENTS, "{\"name\": \"" + last + "\"}").expectStatus(201);
        HttpRequest.Builder request =
                api.request(EVENTS + "?after=0&name=" + name + "&name=" + last).header("Accept", "text/event-stream");
        try (EventStreamClient stream = EventStreamClient.of(request)) {
            return stream.readUntil(event -> event.data().path("name").asText().equals(last)).stream()
                    .filter(event -> event.data().path("name").asText().equals(name))
                    .count();
        }
    }

    private static String documented(String kind) throws IOException {
        Matcher block = Pattern.compile("```json " + kind + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(CheckoutPaths.root().resolve("docs/inbound-webhooks.md")));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private static String hmac(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void deliveryLetsAWaitingScriptContinueOnceForEachId() throws IOException {
        JsonNode webhook = create(documented("create"));
        String waiting = api.submit(SubmissionBody.javascript("""
                const first = events.next('order.paid'); await sleep(1); console.log('listening');
                return (await first).data;
                """));
        api.awaitOutput(waiting, "listening");
        assertThat(deliver(webhook, "{\"order\": 7}", "X-Delivery-Id", "17")
                        .expectStatus(202)
                        .text())
                .isEmpty();
        deliver(webhook, " {\"\\u006frder\":7.0}", "X-Delivery-Id", "17").expectStatus(202);
        assertThat(api.awaitEnd(waiting).path("result")).hasToString("{\"order\":7}");
        assertThat(countEvents("order.paid")).isEqualTo(1);
        assertThat(deliver(webhook, "{\"order\": 8}", "X-Delivery-Id", "17")
                        .expectStatus(422)
                        .problemType())
                .isEqualTo("idempotency-conflict");
        assertThat(find(webhook).path("lastUsedAt").isTextual()).isTrue();
        assertThat(find(webhook).has("path")).isFalse();
    }

    private void publish(String name) {
        api.post(
                        "/api/v1/capabilities",
                        TestJson.write(TestJson.object()
                                .put("name", name)
                                .put("version", "1.0.0")
                                .put(
                                        "code",
                                        "export default async (n) => [await demo.add({ a: n.a, b: 1 })"
                                                + ".catch((e) => e.code), await demo.slow({ millis: 1, value: 1 })"
                                                + ".then(() => 'slow', (e) => e.code)];")
                                .<ObjectNode>set("tools", TestJson.read("[\"demo.add\", \"demo.slow\"]"))
                                .set("inputSchema", TestJson.read("{\"type\":\"object\",\"required\":[\"a\"]}"))))
                .expectStatus(201);
    }

    @Test
    void deliveryRunsACapabilityInTheNameAndWithTheGrantsOfItsCreator() {
        publish("hook.sum");
        JsonNode webhook = create("{\"name\": \"sum\", \"capability\": \"hook.sum\", \"version\": \"1.0.0\","
                + " \"grants\": [\"demo.add\"]}");
        assertThat(webhook.path("grants")).hasToString("[\"demo.add\"]");
        deliver(webhook, "{\"a\": 41}", "Idempotency-Key", "d-1").expectStatus(202);
        deliver(webhook, "{\"a\": 41}", "Idempotency-Key", "d-1").expectStatus(202);
        JsonNode ended = awaitExecution("sum");
        assertThat(executions("sum")).hasSize(1);
        assertThat(ended.path("result")).as(ended.toString()).hasToString("[42,\"not-granted\"]");
        assertThat(ended.path("submittedBy")).isEqualTo(webhook.path("createdBy"));
        assertThat(ended.path("capability").toString()).contains("hook.sum");
        assertThat(find(webhook).path("lastResult").asText()).isEqualTo("started");

        RestResponse refused = deliver(webhook, "{\"b\": 1}").expectStatus(422);
        assertThat(refused.problemType()).isEqualTo("invalid-arguments");
        assertThat(refused.text())
                .doesNotContain("hook.sum", "required", webhook.path("path").asText());
        assertThat(find(webhook).path("lastResult").asText()).startsWith("refused: ");
    }

    @Test
    void deliveryHasAtMostTheGrantsThatTheKeyHasNow() {
        publish("hook.narrowed");
        JsonNode key = api.post(
                        "/api/v1/api-keys",
                        "{\"name\":\"narrowed\",\"roles\":[\"operator\",\"submitter\"],\"grants\":[\"demo.*\"]}")
                .expectStatus(201)
                .json();
        JsonNode webhook = create(
                api.withKey(key.path("key").asText()),
                "{\"name\": \"narrowed\", \"capability\": \"hook.narrowed\", \"version\": \"1.0.0\"}",
                201);
        deliver(webhook, "{\"a\": 1}").expectStatus(202);
        assertThat(awaitExecution("narrowed").path("result")).hasToString("[2,\"slow\"]");
        api.send(api.request("/api/v1/api-keys/" + key.path("id").asText() + "/grants")
                        .header("Content-Type", "application/json")
                        .method("PUT", RestClient.body("{\"grants\": [\"demo.slow\"]}")))
                .expectStatus(200);
        deliver(webhook, "{\"a\": 2}").expectStatus(202);
        List<String> results = new ArrayList<>();
        executions("narrowed")
                .forEach(each -> results.add(
                        api.awaitEnd(each.path("id").asText()).path("result").toString()));
        assertThat(results).containsExactlyInAnyOrder("[2,\"slow\"]", "[\"not-granted\",\"slow\"]");
    }

    @Test
    void signedDeliveriesAreCheckedBeforeTheyHaveAnEffect() throws IOException {
        create(api, documented("signed"), 400);
        api.post("/api/v1/secrets", "{\"name\": \"remote-callbacks\", \"value\": \"" + SECRET + "\"}")
                .expectStatus(201);
        JsonNode webhook = create(documented("signed"));
        String body = "{\"id\": \"x\"}";
        long now = Instant.now().getEpochSecond();
        String genuine = "t=" + now + ",v1=" + hmac(now + "." + body);
        deliver(webhook, body, "Sallyport-Signature", genuine).expectStatus(202);
        deliver(webhook, body).expectStatus(401);
        deliver(webhook, "{\"id\": \"y\"}", "Sallyport-Signature", genuine).expectStatus(401);
        long old = now - 1_000;
        deliver(webhook, body, "Sallyport-Signature", "t=" + old + ",v1=" + hmac(old + "." + body))
                .expectStatus(401);
        assertThat(find(webhook).path("lastResult").asText()).contains("signature");
        deliver(webhook, body, "Sallyport-Signature", genuine).expectStatus(202);
        deliver(webhook, body, "Sallyport-Signature", genuine, "Sallyport-Delivery", "another id")
                .expectStatus(400);
        deliver(webhook, body, "Sallyport-Signature", genuine, "Sallyport-Delivery", "another-id")
                .expectStatus(401);
        assertThat(countEvents("remote.ended")).isEqualTo(1);
        JsonNode ofBody = create("{\"name\": \"of body\", \"event\": \"e\", \"signature\":"
                + " {\"scheme\": \"body\", \"header\": \"X-Hub-Signature-256\", \"secret\": \"remote-callbacks\"}}");
        deliver(ofBody, body, "X-Hub-Signature-256", "sha256=" + hmac(body)).expectStatus(202);
        deliver(ofBody, body, "X-Hub-Signature-256", "sha256=" + hmac("other")).expectStatus(401);
    }

    @Test
    void unknownDisabledAndOwnerlessWebhooksHaveTheSameAnswer() {
        JsonNode key = api.post("/api/v1/api-keys", "{\"name\":\"owner\",\"roles\":[\"operator\",\"submitter\"]}")
                .expectStatus(201)
                .json();
        JsonNode owned = create(api.withKey(key.path("key").asText()), "{\"name\": \"owned\", \"event\": \"e\"}", 201);
        deliver(owned, "1").expectStatus(202);
        JsonNode webhook = create("{\"name\": \"switched\", \"event\": \"e\"}");
        String one = WEBHOOKS + "/" + webhook.path("id").asText();
        JsonNode disabled = assertDescribed("POST", WEBHOOKS + "/{id}/disable", 200, api.post(one + "/disable", "{}"));
        assertThat(disabled.path("enabled").asBoolean()).isFalse();
        String refused = deliver(webhook, "1").expectStatus(404).text();
        assertThat(refused).doesNotContain(webhook.path("path").asText());
        JsonNode unknown = TestJson.object().put("path", "/hooks/" + "x".repeat(43));
        assertThat(deliver(unknown, "1").expectStatus(404).text()).isEqualTo(refused);
        assertDescribed("POST", WEBHOOKS + "/{id}/enable", 200, api.post(one + "/enable", "{}"));
        deliver(webhook, "1").expectStatus(202);
        assertDescribed(
                "DELETE", WEBHOOKS + "/{id}", 204, api.send(api.request(one).DELETE()));
        assertThat(deliver(webhook, "1").expectStatus(404).text()).isEqualTo(refused);
        assertDescribed(
                "DELETE", WEBHOOKS + "/{id}", 404, api.send(api.request(one).DELETE()));
        assertDescribed("POST", WEBHOOKS + "/{id}/enable", 404, api.post(one + "/enable", "{}"));

        api.send(api.request("/api/v1/api-keys/" + key.path("id").asText()).DELETE())
                .expectStatus(204);
        assertThat(deliver(owned, "1").expectStatus(404).text()).isEqualTo(refused);
        assertThat(find(owned).path("lastResult").asText()).contains("key of its creator");
        api.withoutKey().get(owned.path("path").asText()).expectStatus(405);
        assertThat(api.withoutKey().get("/hooks/../api/v1/tools").status()).isIn(400, 401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"name\": \"a\"}",
                "{\"name\": \"\", \"event\": \"e\"}",
                "{\"name\": \"a\", \"event\": \"e\", \"capability\": \"c\"}",
                "{\"name\": \"a\", \"event\": \"e\", \"version\": \"1.0.0\"}",
                "{\"name\": \"a\", \"event\": \"e\", \"deliveryHeader\": \"a b\"}",
                "{\"name\": \"a\", \"event\": \"e\", \"signature\": {}}",
                "{\"name\": \"a\", \"event\": \"e\", \"signature\": {\"secret\": \"none\"}}",
                "{\"name\": \"a\", \"event\": \"e\", \"signature\": {\"secret\": \"s\", \"scheme\": \"md5\"}}",
                "{\"name\": \"a\", \"event\": \"e\", \"more\": 1}"
            })
    void invalidWebhookIsRefused(String body) {
        assertThat(create(api, body, 400).path("type").asText()).isEqualTo("urn:sallyport:problem:validation");
    }

    @Test
    void webhooksNeedTheirRolesAndANameOfTheirOwn() {
        String body = "{\"name\": \"taken\", \"event\": \"e\"}";
        create(body);
        assertThat(create(api, body, 409).path("type").asText()).isEqualTo("urn:sallyport:problem:webhook-exists");
        api.withKey(tenant.key("submitter")).post(WEBHOOKS, body).expectStatus(403);
        create(api.withKey(tenant.key("operator")), "{\"name\": \"of operator\", \"event\": \"e\"}", 403);
        create(
                api.withKey(tenant.token("ada", "operators", "submitters")),
                "{\"name\": \"of token\", \"event\": \"e\"}",
                403);
        api.withKey(tenant.key("auditor")).get(WEBHOOKS).expectStatus(200);
    }

    @Test
    void deliveriesBeyondALimitAreRefused() {
        JsonNode webhook = create("{\"name\": \"limits\", \"event\": \"e\"}");
        deliver(webhook, "\"" + "x".repeat(262_144) + "\"").expectStatus(413);
        deliver(webhook, "{").expectStatus(422);
        deliver(webhook, "").expectStatus(202);
        deliver(webhook, "1", "Idempotency-Key", "k".repeat(201)).expectStatus(400);
        api.send(api.withoutKey()
                        .request(webhook.path("path").asText())
                        .header("Content-Type", "text/plain")
                        .POST(RestClient.body("1")))
                .expectStatus(415);
        List<RestResponse> many = IntStream.range(0, 100)
                .mapToObj(n -> api.sendAsync(api.withoutKey()
                        .request(webhook.path("path").asText())
                        .header("Content-Type", "application/json")
                        .POST(RestClient.body("1"))))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();
        assertThat(many).extracting(RestResponse::status).contains(202, 429).containsOnly(202, 429);
    }
}
