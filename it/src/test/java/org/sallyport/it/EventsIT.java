package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Events;
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;
import org.sallyport.testsupport.Timing;

/** What happens to an execution, told while it happens. */
@ExtendWith(Servers.class)
class EventsIT {
    private static final int STREAMS = 100;
    private static final int STREAMS_OF_KEY = 20;
    /** All but a few that one tenant may have: what each of them leaves lying must not fill the memory. */
    private static final int NOT_READING = 90;

    private static final Submission TALKATIVE = Submission.javascript("""
            for (let i = 0; i < 5; i++) {
              console.log(`out ${i} \uD83D\uDE00`);
              console.error(`err ${i}`);
              await demo.add({ a: i, b: 1 });
              await sleep(500);
            }
            return 'done';
            """);

    private final SallyportServer server;
    private final Api api;

    EventsIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    private Events follow(String id, String... headers) {
        return follow(api, id, headers);
    }

    private String key() {
        return api.post("/api/v1/api-keys", "{\"name\": \"listener\", \"roles\": [\"submitter\"]}")
                .expect(201)
                .json()
                .path("key")
                .asText();
    }

    private static Events follow(Api api, String id, String... headers) {
        var request = api.request(Api.EXECUTIONS + "/" + id + "/events");
        return Events.of(headers.length == 0 ? request : request.headers(headers));
    }

    private static String text(List<Events.Event> events, String name) {
        StringBuilder text = new StringBuilder();
        events.stream()
                .filter(event -> event.name().equals(name))
                .forEach(event -> text.append(event.data().path("text").asText()));
        return text.toString();
    }

    private static List<JsonNode> named(List<Events.Event> events, String name) {
        return events.stream()
                .filter(event -> event.name().equals(name))
                .map(Events.Event::data)
                .toList();
    }

    @Test
    void aStreamEndsSoonAfterItsKeyWasTakenAway() {
        JsonNode key = api.post("/api/v1/api-keys", "{\"name\":\"listener\",\"roles\":[\"auditor\"]}")
                .expect(201)
                .json();
        String id = api.submit(Submission.javascript("await sleep(60000)"));
        long begin;
        try (Events stream =
                Events.of(api.as(key.path("key").asText()).request(Api.EXECUTIONS + "/" + id + "/events"))) {
            assertThat(stream.status()).isEqualTo(200);
            stream.until(event -> event.name().equals("state"));
            api.send(api.request("/api/v1/api-keys/" + key.path("id").asText()).DELETE())
                    .expect(204);
            begin = System.nanoTime();
            stream.all();
        }

        Timing.assertAtMostSince(begin, Duration.ofSeconds(45));
        assertThat(Api.ended(api.execution(id))).isFalse();
        api.cancel(id);
    }

    @Test
    void aSubmissionIsFollowedToItsResult() {
        List<Events.Event> events;
        String id;
        try (Events stream = Events.of(api.submission(TALKATIVE.json()))) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.header("Content-Type")).startsWith("text/event-stream");
            id = stream.header("Location").replaceAll(".*/", "");
            events = stream.all();
        }
        JsonNode ended = api.execution(id);

        assertThat(text(events, "output"))
                .isEqualTo(ended.path("output").asText())
                .contains("out 4");
        assertThat(text(events, "error-output"))
                .isEqualTo(ended.path("errorOutput").asText());
        assertThat(named(events, "trace")).isEqualTo(api.trace(id));
        assertThat(named(events, "output")).hasSizeGreaterThan(1);
        assertThat(named(events, "state").stream()
                        .map(state -> state.path("state").asText()))
                .containsSubsequence("RUNNING", "COMPLETED");
        Events.Event last = events.get(events.size() - 1);
        assertThat(last.name()).isEqualTo("result");
        assertThat(last.data().path("result").asText()).isEqualTo("done");
        assertThat(follow(id, "Last-Event-ID", last.id()).status()).isEqualTo(204);
    }

    @Test
    void aSubmissionThatIsReadOnAnotherThreadIsFollowed() {
        for (int i = 0; i < 5; i++) {
            String code =
                    "const own: string = '" + UUID.randomUUID() + "'; return own.length; //" + " x".repeat(20_000);
            try (Events stream =
                    Events.of(api.submission(Submission.typescript(code).json(), "Accept", "text/event-stream"))) {
                assertThat(stream.status()).isEqualTo(200);
                List<Events.Event> events = stream.all();
                assertThat(events.get(events.size() - 1).data().path("result").asInt())
                        .isEqualTo(36);
            }
        }
    }

    @Test
    void aStreamGoesOnFromAnyEvent() {
        String id = api.run(TALKATIVE).path("id").asText();
        List<Events.Event> whole = follow(id).all();
        String output = text(whole, "output");

        assertThat(output).contains("out 4");
        for (int i = 0; i < whole.size() - 1; i++) {
            List<Events.Event> heard = whole.subList(0, i + 1);
            List<Events.Event> rest =
                    follow(id, "Last-Event-ID", whole.get(i).id()).all();
            assertThat(rest).isEqualTo(whole.subList(i + 1, whole.size()));
            assertThat(text(heard, "output") + text(rest, "output")).isEqualTo(output);
        }
        assertThat(text(
                        Events.of(api.request(Api.EXECUTIONS + "/" + id + "/events?outputOffset=6&after=2"))
                                .all(),
                        "output"))
                .isEqualTo(output.substring(6));
    }

    @Test
    void aLostStreamMissesNothingWhileTheScriptRuns() {
        String id = api.submit(TALKATIVE);
        List<Events.Event> heard = new ArrayList<>();
        String last = "-.0.0.0";
        boolean over = false;
        while (!over) {
            try (Events stream = follow(id, "Last-Event-ID", last)) {
                List<Events.Event> few = stream.until(event -> true);
                assertThat(few).isNotEmpty();
                heard.addAll(few);
                last = few.get(few.size() - 1).id();
                over = few.get(few.size() - 1).name().equals("result");
            }
        }

        JsonNode ended = api.execution(id);
        assertThat(text(heard, "output")).isEqualTo(ended.path("output").asText());
        assertThat(text(heard, "error-output"))
                .isEqualTo(ended.path("errorOutput").asText());
        assertThat(named(heard, "trace")).isEqualTo(api.trace(id));
    }

    @Test
    void whatIsNoPositionIsRefused() {
        String id = api.run(Submission.javascript("return 1")).path("id").asText();

        for (String position : List.of("x", "RUNNING1.1.1", "RUNNING1.1.1.-1", "END.1.1.9999999999999999999")) {
            Answer answer = api.send(api.request(Api.EXECUTIONS + "/" + id + "/events")
                    .headers("Last-Event-ID", position, "Accept", "text/event-stream"));
            assertThat(answer.status()).as(position).isEqualTo(400);
            assertThat(answer.json().path("member").asText()).isEqualTo("Last-Event-ID");
        }
        assertThat(api.get(Api.EXECUTIONS + "/1/events").problem()).isEqualTo("not-found");
        assertThat(api.send(api.submission("{}", "Accept", "text/event-stream")).problem())
                .isEqualTo("validation");
    }

    @Tag("slow")
    @Test
    void clientsWhoDoNotReadKeepNobodyWaiting() throws IOException {
        String id = api.run(Submission.javascript("""
                        const text = 'x'.repeat(200_000);
                        for (let i = 0; i < 40; i++) await demo.echo(text);
                        """)).path("id").asText();
        Pace pace = Pace.of(api);
        List<Socket> sockets = new ArrayList<>();
        try {
            String key = "";
            for (int i = 0; i < NOT_READING; i++) {
                if (i % STREAMS_OF_KEY == 0) {
                    key = key();
                }
                sockets.add(neverReading(id, key));
            }
            long begun = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                assertThat(api.run(Submission.javascript("return 7"))
                                .path("result")
                                .asInt())
                        .isEqualTo(7);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            assertThat(took).isLessThan(pace.within(Duration.ofSeconds(20)));
            // Those of another test that were closed are free once the server has noticed.
            List<Events.Event> told = Await.value("a stream is free", Duration.ofSeconds(50), () -> {
                try (Events stream = follow(id)) {
                    return Optional.of(stream.all()).filter(any -> stream.status() == 200);
                }
            });
            assertThat(told).hasSizeGreaterThan(80);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private Socket neverReading(String id, String key) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.connect(
                new InetSocketAddress(server.url().getHost(), server.url().getPort()), 30_000);
        OutputStream out = socket.getOutputStream();
        out.write(("GET " + Api.EXECUTIONS + "/" + id + "/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                        + key + "\r\nAccept: text/event-stream\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return socket;
    }

    @Tag("slow")
    @Test
    void aTenantHasSoManyStreamsAndGetsThemBack() {
        String id = api.submit(Submission.javascript("for (;;) await sleep('5s')"));
        List<Events> open = new ArrayList<>();
        try {
            Api last;
            int ofKey;
            do {
                last = api.as(key());
                ofKey = openAll(last, id, open);
                assertThat(ofKey).isLessThanOrEqualTo(STREAMS_OF_KEY);
            } while (ofKey == STREAMS_OF_KEY);
            assertThat(open).hasSizeGreaterThan(STREAMS_OF_KEY).hasSizeLessThanOrEqualTo(STREAMS);
            assertThat(last.send(last.submission("{\"code\": \"return 1\"}", "Accept", "text/event-stream"))
                            .problem())
                    .isEqualTo("rate-limited");
        } finally {
            open.forEach(Events::close);
        }
        Await.until("streams that were closed are free", Duration.ofSeconds(120), () -> {
            try (Events again = follow(id)) {
                return again.status() == 200;
            }
        });
        api.cancel(id).expect(202);
    }

    /** As many as the key gets. */
    private static int openAll(Api key, String id, List<Events> open) {
        int count = 0;
        Events next = follow(key, id);
        while (next.status() == 200) {
            open.add(next);
            count++;
            next = follow(key, id);
        }
        assertThat(next.status()).isEqualTo(429);
        next.close();
        return count;
    }

    private String leave(String query) {
        Submission endless = Submission.javascript("console.log('begun'); for (;;) await sleep('1s')");
        try (Events stream = Events.of(api.request(Api.EXECUTIONS + query)
                .header("Content-Type", "application/json")
                .header("Accept", "text/event-stream")
                .POST(Api.body(endless.json())))) {
            assertThat(stream.status()).isEqualTo(200);
            stream.until(event -> event.name().equals("output"));
            return stream.header("Location").replaceAll(".*/", "");
        }
    }

    @Test
    void whoLeavesHisSubmissionCancelsItIfHeSaidSo() {
        String stays = leave("");
        String staysToo = leave("?cancelOnClose=false");
        String goes = leave("?cancelOnClose=true");

        assertThat(api.awaitEnd(goes).path("state").asText()).isEqualTo("CANCELLED");
        for (String id : List.of(stays, staysToo)) {
            assertThat(Api.ended(api.execution(id))).isFalse();
            api.cancel(id).expect(202);
        }
        assertThat(api.send(api.request(Api.EXECUTIONS + "?cancelOnClose=maybe")
                                .header("Content-Type", "application/json")
                                .POST(Api.body("{\"code\": \"return 1\"}")))
                        .problem())
                .isEqualTo("validation");
    }

    @Test
    void aStreamThatTheServiceEndsCancelsNothing() {
        JsonNode key = api.post("/api/v1/api-keys", "{\"name\":\"leaver\",\"roles\":[\"submitter\"]}")
                .expect(201)
                .json();
        String id;
        try (Events stream = Events.of(api.as(key.path("key").asText())
                .request(Api.EXECUTIONS + "?cancelOnClose=true")
                .header("Content-Type", "application/json")
                .header("Accept", "text/event-stream")
                .POST(Api.body(Submission.javascript(
                                "console.log('begun'); for (;;) { await demo.clock().catch(() => 0); await sleep('500ms'); }")
                        .json())))) {
            id = stream.header("Location").replaceAll(".*/", "");
            stream.until(event -> event.name().equals("output"));
            api.send(api.request("/api/v1/api-keys/" + key.path("id").asText()).DELETE())
                    .expect(204);
            stream.all();
        }
        int before = api.trace(id).size();
        // Longer than what a client who leaves is given.
        Await.until(
                "it has gone on", Duration.ofSeconds(120), () -> api.trace(id).size() > before + 8);
        assertThat(Api.ended(api.execution(id))).isFalse();
        api.cancel(id).expect(202);
    }
}
