package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.CheckoutPaths;
import org.sallyport.it.harness.EventStreamClient;
import org.sallyport.it.harness.EventStreamClient.ServerSentEvent;
import org.sallyport.it.harness.OpenApiResponseValidator;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.testsupport.TimingAssertions;

/** Events that callers emit and follow. */
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventsIT {
    private static final String EVENTS = "/api/v1/events";
    private static final String SECRET = "hunter2-4711-event";

    private final TestTenant tenant;
    private final TestTenant otherTenant;
    private final RestClient api;
    private final OpenApiResponseValidator description;

    EventsIT(TestTenant us, TestTenant them) {
        this.tenant = us;
        this.otherTenant = them;
        this.api = us.api();
        this.description = OpenApiResponseValidator.of(api);
    }

    private RestResponse assertDescribed(int status, RestResponse answer) {
        answer.expectStatus(status);
        assertThat(description.validate("POST", EVENTS, answer))
                .as(answer.toString())
                .isEmpty();
        return answer;
    }

    private RestResponse emit(String body, String... headers) {
        HttpRequest.Builder request = api.request(EVENTS).header("Content-Type", "application/json");
        return api.send((headers.length == 0 ? request : request.headers(headers)).POST(RestClient.body(body)));
    }

    private long emitted(String body, String... headers) {
        return assertDescribed(201, emit(body, headers)).json().path("seq").asLong();
    }

    private EventStreamClient follow(RestClient client, String query, String... headers) {
        HttpRequest.Builder request = client.request(EVENTS + query).header("Accept", "text/event-stream");
        EventStreamClient stream = EventStreamClient.of(headers.length == 0 ? request : request.headers(headers));
        assertThat(stream.status()).isEqualTo(200);
        assertThat(stream.header("Content-Type")).startsWith("text/event-stream");
        return stream;
    }

    @Test
    void theEventOfTheDocumentationLetsAWaitingScriptContinue() throws IOException {
        Matcher block = Pattern.compile("```json emit\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(CheckoutPaths.root().resolve("docs/events.md")));
        assertThat(block.find()).isTrue();
        String waiting = api.submit(SubmissionBody.javascript("""
                const event = events.next('order.paid'); await sleep(1); console.log('listening'); return await event;
                """));
        api.awaitOutput(waiting, "listening");
        long seq = emitted(block.group(1));
        JsonNode result = api.awaitEnd(waiting).path("result");
        assertThat(result.path("seq").asLong()).as(result.toString()).isEqualTo(seq);
        assertThat(result.path("data")).hasToString("{\"order\":7}");
    }

    @Test
    void repeatedRequestEmitsOneEvent() {
        long first = emitted("{\"name\": \"once\"}", "Idempotency-Key", "k-1");
        RestResponse repeated = assertDescribed(201, emit("{\"name\": \"once\"}", "Idempotency-Key", "k-1"));
        assertThat(repeated.json().path("seq").asLong()).isEqualTo(first);
        assertThat(repeated.header("Idempotent-Replayed")).isEqualTo("true");
        RestResponse other = assertDescribed(422, emit("{\"name\": \"twice\"}", "Idempotency-Key", "k-1"));
        assertThat(other.problemType()).isEqualTo("idempotency-conflict");
        assertThat(emitted("{\"name\": \"once\"}", "Idempotency-Key", "k-2")).isGreaterThan(first);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"name\": \"\"}",
                "{\"name\": null}",
                "{\"name\": 7}",
                "{\"name\": \"a\", \"data\": 1}",
                "{\"name\": \"a\", \"name\": \"b\"}",
                "{\"name\": \"a\", \"payload\": }"
            })
    void invalidEventIsRefused(String body) {
        assertThat(assertDescribed(400, emit(body)).problemType()).isEqualTo("validation");
    }

    @Test
    void eventsBeyondALimitAreRefused() {
        assertDescribed(400, emit("{\"name\": \"" + "n".repeat(201) + "\"}"));
        assertDescribed(201, emit("{\"name\": \"" + "n".repeat(200) + "\"}"));
        RestResponse large = emit("{\"name\": \"a\", \"payload\": \"" + "x".repeat(262_144) + "\"}");
        assertThat(assertDescribed(413, large).json().path("detail").asText())
                .contains("sallyport.events.max-body-bytes");
        assertDescribed(400, emit("{\"name\": \"a\"}", "Idempotency-Key", "k".repeat(256)));
        for (String query :
                List.of("?name=", "?name=" + "n".repeat(201), "?after=-1", "?after=1000000000", "?after=x")) {
            assertThat(api.get(EVENTS + query).expectStatus(400).problemType())
                    .as(query)
                    .isEqualTo("validation");
        }
        api.send(api.request(EVENTS).header("Last-Event-ID", "x")).expectStatus(400);
        api.withKey(tenant.key("auditor")).post(EVENTS, "{\"name\": \"a\"}").expectStatus(403);
        api.withoutKey().post(EVENTS, "{\"name\": \"a\"}").expectStatus(401);
    }

    @Test
    void followersReceiveEventsOfCallersAndScriptsInOrder() {
        api.post("/api/v1/secrets", "{\"name\": \"event-key\", \"value\": \"" + SECRET + "\"}")
                .expectStatus(201);
        long second;
        try (EventStreamClient stream = follow(api, "?name=f.a&name=f.b")) {
            emitted("{\"name\": \"f.other\"}");
            emitted("{\"name\": \"f.a\", \"payload\": {\"n\": 1.5, \"s\": \"-" + SECRET + "-\"}}");
            api.run(SubmissionBody.javascript("await events.emit('f.b', [args]);")
                    .args("\"x\""));
            List<ServerSentEvent> events =
                    stream.readUntil(event -> event.data().path("name").asText().equals("f.b"));
            assertThat(events).extracting(ServerSentEvent::name).containsExactly("event", "event");
            JsonNode ofCaller = events.get(0).data();
            assertThat(ofCaller.path("payload")).hasToString("{\"n\":1.5,\"s\":\"-[redacted]-\"}");
            assertThat(ofCaller.path("emittedBy").asText()).isNotEmpty();
            assertThat(ofCaller.path("at").asText()).endsWith("Z");
            JsonNode ofScript = events.get(1).data();
            assertThat(ofScript.path("payload")).hasToString("[\"x\"]");
            assertThat(ofScript.has("emittedBy")).isFalse();
            second = ofCaller.path("seq").asLong();
            assertThat(events.get(0).id()).isEqualTo(Long.toString(second));
        }
        try (EventStreamClient resumed = follow(api, "?after=0&name=f.b", "Last-Event-ID", Long.toString(second))) {
            assertThat(resumed.readUntil(event -> true).get(0).data().path("payload"))
                    .hasToString("[\"x\"]");
        }
        try (EventStreamClient all = follow(api, "?after=" + (second - 1))) {
            List<ServerSentEvent> events =
                    all.readUntil(event -> event.data().path("name").asText().equals("f.b"));
            assertThat(events.get(0).data().path("seq").asLong()).isEqualTo(second);
        }
    }

    @Test
    void followersReceiveNoEventOfAnotherTenant() {
        try (EventStreamClient stream = follow(otherTenant.api(), "")) {
            emitted("{\"name\": \"ours\"}");
            otherTenant.api().post(EVENTS, "{\"name\": \"theirs\"}").expectStatus(201);
            assertThat(stream.readUntil(event -> true)
                            .get(0)
                            .data()
                            .path("name")
                            .asText())
                    .isEqualTo("theirs");
        }
    }

    @Test
    void followerThatKnowsEventsOfALostDatabaseContinues() {
        long last = emitted("{\"name\": \"lost\"}");
        try (EventStreamClient stream = follow(api, "?name=found", "Last-Event-ID", Long.toString(last + 1_000))) {
            ServerSentEvent reset = stream.readUntil(event -> true).get(0);
            assertThat(reset.name()).isEqualTo("reset");
            assertThat(reset.data().path("after").asLong()).isEqualTo(last + 1_000);
            emitted("{\"name\": \"found\"}");
            assertThat(stream.readUntil(event -> event.name().equals("event"))).hasSize(1);
        }
    }

    @Test
    void streamEndsSoonAfterItsKeyIsDeleted() {
        JsonNode key = api.post("/api/v1/api-keys", "{\"name\":\"follower\",\"roles\":[\"auditor\"]}")
                .expectStatus(201)
                .json();
        long start = System.nanoTime();
        try (EventStreamClient stream = follow(api.withKey(key.path("key").asText()), "?name=never")) {
            api.send(api.request("/api/v1/api-keys/" + key.path("id").asText()).DELETE())
                    .expectStatus(204);
            assertThat(stream.readAll()).isEmpty();
            TimingAssertions.assertAtMostSince(start, Duration.ofSeconds(100));
        }
    }

    @Test
    void hostileNamesAndPayloadsAreReturnedUnchanged() {
        String payload = "{\"\\u0000\":\"\\ufffd \\n\\u2028 data: x\"}";
        try (EventStreamClient stream = follow(api, "")) {
            emitted("{\"name\": \"h\\u0000\\n\\nevent: end\", \"payload\": " + payload.replace("\\ufffd", "\\ud800")
                    + "}");
            JsonNode event = stream
                    .readUntil(any -> any.data().path("name").asText().startsWith("h"))
                    .stream()
                    .reduce((before, last) -> last)
                    .orElseThrow()
                    .data();
            assertThat(event.path("name").asText()).isEqualTo("h\u0000\n\nevent: end");
            assertThat(event.path("payload")).isEqualTo(TestJson.read(payload));
        }
    }
}
