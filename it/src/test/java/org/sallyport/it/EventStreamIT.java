package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.EventStreamClient;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TimingCalibration;
import org.sallyport.testsupport.TimingAssertions;

/** The event stream (SSE) of a running execution. Begins early, because it waits for a minute and uses no CPU. */
@Order(1)
@ExtendWith(ServerExtension.class)
class EventStreamIT {
    private static final int MAX_STREAMS = 100;
    private static final int MAX_STREAMS_PER_KEY = 20;
    /**
     * A few fewer than one tenant may open. The unread events of these streams must not fill the memory of the server.
     */
    private static final int CLIENTS_NOT_READING = 90;

    private static final SubmissionBody PRINTING_SUBMISSION = SubmissionBody.javascript("""
            for (let i = 0; i < 5; i++) {
              console.log(`out ${i} \uD83D\uDE00`);
              console.error(`err ${i}`);
              await demo.add({ a: i, b: 1 });
              await sleep(500);
            }
            return 'done';
            """);

    private final SallyportServer server;
    private final RestClient api;

    EventStreamIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    private EventStreamClient openStream(String id, String... headers) {
        return openStream(api, id, headers);
    }

    private String createKey() {
        return api.post("/api/v1/api-keys", "{\"name\": \"listener\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
    }

    private static EventStreamClient openStream(RestClient api, String id, String... headers) {
        var request = api.request(RestClient.EXECUTIONS + "/" + id + "/events");
        return EventStreamClient.of(headers.length == 0 ? request : request.headers(headers));
    }

    private static String text(List<EventStreamClient.ServerSentEvent> events, String name) {
        StringBuilder text = new StringBuilder();
        events.stream()
                .filter(event -> event.name().equals(name))
                .forEach(event -> text.append(event.data().path("text").asText()));
        return text.toString();
    }

    private static List<JsonNode> findByName(List<EventStreamClient.ServerSentEvent> events, String name) {
        return events.stream()
                .filter(event -> event.name().equals(name))
                .map(EventStreamClient.ServerSentEvent::data)
                .toList();
    }

    @Test
    void streamEndsSoonAfterItsKeyIsDeleted() {
        JsonNode key = api.post("/api/v1/api-keys", "{\"name\":\"listener\",\"roles\":[\"auditor\"]}")
                .expectStatus(201)
                .json();
        String id = api.submit(SubmissionBody.javascript("await sleep(60000)"));
        long startNanos;
        try (EventStreamClient stream = EventStreamClient.of(
                api.withKey(key.path("key").asText()).request(RestClient.EXECUTIONS + "/" + id + "/events"))) {
            assertThat(stream.status()).isEqualTo(200);
            stream.readUntil(event -> event.name().equals("state"));
            api.send(api.request("/api/v1/api-keys/" + key.path("id").asText()).DELETE())
                    .expectStatus(204);
            startNanos = System.nanoTime();
            stream.readAll();
        }

        TimingAssertions.assertAtMostSince(startNanos, Duration.ofSeconds(45));
        assertThat(RestClient.isFinished(api.getExecution(id))).isFalse();
        api.cancel(id);
    }

    @Test
    void streamFollowsASubmissionToItsResult() {
        List<EventStreamClient.ServerSentEvent> events;
        String id;
        try (EventStreamClient stream = EventStreamClient.of(api.submissionRequest(PRINTING_SUBMISSION.json()))) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.header("Content-Type")).startsWith("text/event-stream");
            id = stream.header("Location").replaceAll(".*/", "");
            events = stream.readAll();
        }
        JsonNode ended = api.getExecution(id);

        assertThat(text(events, "output"))
                .isEqualTo(ended.path("output").asText())
                .contains("out 4");
        assertThat(text(events, "error-output"))
                .isEqualTo(ended.path("errorOutput").asText());
        assertThat(findByName(events, "trace")).isEqualTo(api.getTrace(id));
        assertThat(findByName(events, "output")).hasSizeGreaterThan(1);
        assertThat(findByName(events, "state").stream()
                        .map(state -> state.path("state").asText()))
                .containsSubsequence("RUNNING", "COMPLETED");
        EventStreamClient.ServerSentEvent last = events.get(events.size() - 1);
        assertThat(last.name()).isEqualTo("result");
        assertThat(last.data().path("result").asText()).isEqualTo("done");
        assertThat(openStream(id, "Last-Event-ID", last.id()).status()).isEqualTo(204);
    }

    @Test
    void outputEventsHaveTheOrderOfWritingWithTimesAndSequence() {
        List<EventStreamClient.ServerSentEvent> events;
        String id;
        try (EventStreamClient stream = EventStreamClient.of(api.submissionRequest(PRINTING_SUBMISSION.json()))) {
            id = stream.header("Location").replaceAll(".*/", "");
            events = stream.readAll().stream()
                    .filter(event -> event.name().endsWith("output"))
                    .toList();
        }
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            expected.append("out " + i + " \uD83D\uDE00\nerr " + i + "\n");
        }

        StringBuilder text = new StringBuilder();
        Instant last = Instant.MIN;
        for (EventStreamClient.ServerSentEvent event : events) {
            assertThat(event.data().path("executionId").asText()).isEqualTo(id);
            assertThat(event.data().path("sequence").asLong()).isEqualTo(text.length());
            Instant at = Instant.parse(event.data().path("at").asText());
            assertThat(at).isAfterOrEqualTo(last);
            last = at;
            text.append(event.data().path("text").asText());
        }
        assertThat(text).hasToString(expected.toString());
        assertThat(findByName(events, "output")).hasSize(5);
    }

    @Test
    void streamFollowsASubmissionReadOnAnotherThread() {
        for (int i = 0; i < 5; i++) {
            String code =
                    "const own: string = '" + UUID.randomUUID() + "'; return own.length; //" + " x".repeat(20_000);
            try (EventStreamClient stream = EventStreamClient.of(
                    api.submissionRequest(SubmissionBody.typescript(code).json(), "Accept", "text/event-stream"))) {
                assertThat(stream.status()).isEqualTo(200);
                List<EventStreamClient.ServerSentEvent> events = stream.readAll();
                assertThat(events.get(events.size() - 1).data().path("result").asInt())
                        .isEqualTo(36);
            }
        }
    }

    @Test
    void streamResumesAfterAnyEvent() {
        String id = api.run(PRINTING_SUBMISSION).path("id").asText();
        List<EventStreamClient.ServerSentEvent> whole = openStream(id).readAll();
        String output = text(whole, "output");

        assertThat(output).contains("out 4");
        for (int i = 0; i < whole.size() - 1; i++) {
            List<EventStreamClient.ServerSentEvent> heard = whole.subList(0, i + 1);
            List<EventStreamClient.ServerSentEvent> rest =
                    openStream(id, "Last-Event-ID", whole.get(i).id()).readAll();
            assertThat(rest).isEqualTo(whole.subList(i + 1, whole.size()));
            assertThat(text(heard, "output") + text(rest, "output")).isEqualTo(output);
        }
        assertThat(text(
                        EventStreamClient.of(api.request(
                                        RestClient.EXECUTIONS + "/" + id + "/events?outputOffset=6&after=2"))
                                .readAll(),
                        "output"))
                .isEqualTo(output.substring(6));
    }

    @Test
    void reconnectedStreamMissesNoEventsWhileTheScriptRuns() {
        String id = api.submit(PRINTING_SUBMISSION);
        List<EventStreamClient.ServerSentEvent> heard = new ArrayList<>();
        String last = "-.0.0.0";
        boolean finished = false;
        while (!finished) {
            try (EventStreamClient stream = openStream(id, "Last-Event-ID", last)) {
                List<EventStreamClient.ServerSentEvent> few = stream.readUntil(event -> true);
                assertThat(few).isNotEmpty();
                heard.addAll(few);
                last = few.get(few.size() - 1).id();
                finished = few.get(few.size() - 1).name().equals("result");
            }
        }

        JsonNode ended = api.getExecution(id);
        assertThat(text(heard, "output")).isEqualTo(ended.path("output").asText());
        assertThat(text(heard, "error-output"))
                .isEqualTo(ended.path("errorOutput").asText());
        assertThat(findByName(heard, "trace")).isEqualTo(api.getTrace(id));
    }

    @Test
    void invalidStreamPositionIsRefused() {
        String id = api.run(SubmissionBody.javascript("return 1")).path("id").asText();

        for (String position : List.of("x", "RUNNING1.1.1", "RUNNING1.1.1.-1", "END.1.1.9999999999999999999")) {
            RestResponse answer = api.send(api.request(RestClient.EXECUTIONS + "/" + id + "/events")
                    .headers("Last-Event-ID", position, "Accept", "text/event-stream"));
            assertThat(answer.status()).as(position).isEqualTo(400);
            assertThat(answer.json().path("member").asText()).isEqualTo("Last-Event-ID");
        }
        assertThat(api.get(RestClient.EXECUTIONS + "/1/events").problemType()).isEqualTo("not-found");
        assertThat(api.send(api.submissionRequest("{}", "Accept", "text/event-stream"))
                        .problemType())
                .isEqualTo("validation");
    }

    @Tag("slow")
    @Test
    void clientsThatDoNotReadDelayNoOtherClients() throws IOException {
        String id = api.run(SubmissionBody.javascript("""
                        const text = 'x'.repeat(200_000);
                        for (let i = 0; i < 40; i++) await demo.echo(text);
                        """)).path("id").asText();
        TimingCalibration pace = TimingCalibration.of(api);
        List<Socket> sockets = new ArrayList<>();
        try {
            String key = "";
            for (int i = 0; i < CLIENTS_NOT_READING; i++) {
                if (i % MAX_STREAMS_PER_KEY == 0) {
                    key = createKey();
                }
                sockets.add(openUnreadStream(id, key));
            }
            long begun = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                assertThat(api.run(SubmissionBody.javascript("return 7"))
                                .path("result")
                                .asInt())
                        .isEqualTo(7);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            assertThat(took).isLessThan(pace.adjustLimit(Duration.ofSeconds(20)));
            // The server frees the streams that another test closed only after it notices the closed connections.
            List<EventStreamClient.ServerSentEvent> events =
                    Await.untilPresent("a stream is free", Duration.ofSeconds(50), () -> {
                        try (EventStreamClient stream = openStream(id)) {
                            return Optional.of(stream.readAll()).filter(any -> stream.status() == 200);
                        }
                    });
            assertThat(events).hasSizeGreaterThan(80);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private Socket openUnreadStream(String id, String key) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.connect(
                new InetSocketAddress(server.url().getHost(), server.url().getPort()), 30_000);
        OutputStream out = socket.getOutputStream();
        out.write(("GET " + RestClient.EXECUTIONS + "/" + id
                        + "/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                        + "\r\nAccept: text/event-stream\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return socket;
    }

    @Tag("slow")
    @Test
    void streamsAreLimitedPerTenantAndReleasedWhenClosed() {
        String id = api.submit(SubmissionBody.javascript("for (;;) await sleep('5s')"));
        List<EventStreamClient> open = new ArrayList<>();
        try {
            RestClient last;
            int ofKey;
            do {
                last = api.withKey(createKey());
                ofKey = openStreamsUntilLimit(last, id, open);
                assertThat(ofKey).isLessThanOrEqualTo(MAX_STREAMS_PER_KEY);
            } while (ofKey == MAX_STREAMS_PER_KEY);
            assertThat(open).hasSizeGreaterThan(MAX_STREAMS_PER_KEY).hasSizeLessThanOrEqualTo(MAX_STREAMS);
            assertThat(last.send(last.submissionRequest("{\"code\": \"return 1\"}", "Accept", "text/event-stream"))
                            .problemType())
                    .isEqualTo("rate-limited");
        } finally {
            open.forEach(EventStreamClient::close);
        }
        Await.until("streams that were closed are free", Duration.ofSeconds(120), () -> {
            try (EventStreamClient reopened = openStream(id)) {
                return reopened.status() == 200;
            }
        });
        api.cancel(id).expectStatus(202);
    }

    /** Opens streams until the limit of the key is reached. */
    private static int openStreamsUntilLimit(RestClient key, String id, List<EventStreamClient> open) {
        int count = 0;
        EventStreamClient next = openStream(key, id);
        while (next.status() == 200) {
            open.add(next);
            count++;
            next = openStream(key, id);
        }
        assertThat(next.status()).isEqualTo(429);
        next.close();
        return count;
    }

    private String submitAndDisconnect(String query) {
        SubmissionBody endless = SubmissionBody.javascript("console.log('begun'); for (;;) await sleep('1s')");
        try (EventStreamClient stream = EventStreamClient.of(api.request(RestClient.EXECUTIONS + query)
                .header("Content-Type", "application/json")
                .header("Accept", "text/event-stream")
                .POST(RestClient.body(endless.json())))) {
            assertThat(stream.status()).isEqualTo(200);
            stream.readUntil(event -> event.name().equals("output"));
            return stream.header("Location").replaceAll(".*/", "");
        }
    }

    @Test
    void disconnectCancelsTheExecutionOnlyWithCancelOnClose() {
        String stays = submitAndDisconnect("");
        String staysToo = submitAndDisconnect("?cancelOnClose=false");
        String goes = submitAndDisconnect("?cancelOnClose=true");

        assertThat(api.awaitEnd(goes).path("state").asText()).isEqualTo("CANCELLED");
        for (String id : List.of(stays, staysToo)) {
            assertThat(RestClient.isFinished(api.getExecution(id))).isFalse();
            api.cancel(id).expectStatus(202);
        }
        assertThat(api.send(api.request(RestClient.EXECUTIONS + "?cancelOnClose=maybe")
                                .header("Content-Type", "application/json")
                                .POST(RestClient.body("{\"code\": \"return 1\"}")))
                        .problemType())
                .isEqualTo("validation");
    }

    @Test
    void leavingAFollowingStreamCancelsTheExecutionOnlyWithCancelOnClose() {
        SubmissionBody endless = SubmissionBody.javascript("console.log('begun'); for (;;) await sleep('1s')");
        String stays = api.submit(endless);
        try (EventStreamClient leaving =
                EventStreamClient.of(api.request(RestClient.EXECUTIONS + "/" + stays + "/events"))) {
            leaving.readUntil(event -> event.name().equals("output"));
        }
        String id = api.submit(endless);
        String path = RestClient.EXECUTIONS + "/" + id + "/events";
        RestClient auditor = api.withKey(api.post("/api/v1/api-keys", "{\"name\":\"reader\",\"roles\":[\"auditor\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText());
        assertThat(auditor.get(path + "?cancelOnClose=true").problemType()).isEqualTo("forbidden");
        assertThat(api.get(path + "?cancelOnClose=perhaps").problemType()).isEqualTo("validation");
        try (EventStreamClient remaining = EventStreamClient.of(auditor.request(path))) {
            try (EventStreamClient leaving = EventStreamClient.of(api.request(path + "?cancelOnClose=true"))) {
                assertThat(leaving.status()).isEqualTo(200);
                leaving.readUntil(event -> event.name().equals("output"));
            }
            List<EventStreamClient.ServerSentEvent> events = remaining.readAll();
            JsonNode result = events.get(events.size() - 1).data();
            assertThat(result.path("state").asText()).isEqualTo("CANCELLED");
            assertThat(result.path("cancellation").path("reason").asText())
                    .isEqualTo("the client left the event stream");
        }
        assertThat(RestClient.isFinished(api.getExecution(stays))).isFalse();
        api.cancel(stays).expectStatus(202);
        assertThat(api.get("/api/v1/audit?action=execution.cancel-on-close&object=" + id)
                        .json()
                        .path("items"))
                .hasSize(1);
    }

    @Test
    void streamClosedByTheServiceCancelsNoExecution() {
        JsonNode key = api.post("/api/v1/api-keys", "{\"name\":\"leaver\",\"roles\":[\"submitter\"]}")
                .expectStatus(201)
                .json();
        String id;
        try (EventStreamClient stream =
                EventStreamClient.of(api.withKey(key.path("key").asText())
                        .request(RestClient.EXECUTIONS + "?cancelOnClose=true")
                        .header("Content-Type", "application/json")
                        .header("Accept", "text/event-stream")
                        .POST(RestClient.body(SubmissionBody.javascript(
                                        "console.log('begun'); for (;;) { await demo.clock().catch(() => 0); await "
                                                + "sleep('500ms'); }")
                                .json())))) {
            id = stream.header("Location").replaceAll(".*/", "");
            stream.readUntil(event -> event.name().equals("output"));
            api.send(api.request("/api/v1/api-keys/" + key.path("id").asText()).DELETE())
                    .expectStatus(204);
            stream.readAll();
        }
        int before = api.getTrace(id).size();
        // Waits longer than the timeout after which the server drops a client that disconnected.
        Await.until(
                "it has gone on",
                Duration.ofSeconds(120),
                () -> api.getTrace(id).size() > before + 8);
        assertThat(RestClient.isFinished(api.getExecution(id))).isFalse();
        api.cancel(id).expectStatus(202);
    }
}
