package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.RawClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Clients that promise a body and send little of it, or nothing: nobody else waits for them, and they not for ever. */
@Tag("slow")
@ExtendWith(Servers.class)
class SlowBodiesIT {
    private static final int MANY = 100;
    private static final Duration QUICK = Duration.ofSeconds(8);
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    private final SallyportServer server;
    private final Api api;
    private final List<RawClient> clients = new ArrayList<>();

    SlowBodiesIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @AfterEach
    void hangUp() {
        clients.forEach(RawClient::close);
    }

    private void promise(String head) {
        for (int i = 0; i < MANY; i++) {
            RawClient client = new RawClient(server.url());
            clients.add(client);
            client.send(head + "{");
        }
    }

    /** A head that does not end takes no thread, only a connection. */
    @Test
    void headsThatNeverEndHoldNobodyUp() {
        for (int i = 0; i < 5 * MANY; i++) {
            RawClient client = new RawClient(server.url());
            clients.add(client);
            client.send("GET /health/ready HTTP/1.1\r\nHost: te");
        }

        othersAreServedQuickly();
        for (RawClient client : clients) {
            assertThat(client.send("st\r\nX: ")).isTrue();
        }
        othersAreServedQuickly();
    }

    private void othersAreServedQuickly() {
        for (int i = 0; i < 3; i++) {
            long begin = System.nanoTime();
            assertThat(api.run(Submission.javascript("return 6 * 7"))
                            .path("result")
                            .asInt())
                    .isEqualTo(42);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(QUICK);
        }
    }

    private Map<Integer, Integer> answers() {
        Map<Integer, Integer> statuses = new TreeMap<>();
        clients.forEach(client -> statuses.merge(client.status(PATIENCE), 1, Integer::sum));
        return statuses;
    }

    @Test
    void strangersWhoNeverSendTheirKeyHoldNobodyUp() {
        promise(RawClient.post("/console/session", 100));

        othersAreServedQuickly();
        assertThat(answers()).containsOnlyKeys(408, 429);
    }

    @Test
    void callersWhoNeverSendTheirScriptHoldNobodyUp() {
        String other = api.post("/api/v1/api-keys", "{\"name\": \"slow\", \"roles\": [\"submitter\"]}")
                .expect(201)
                .json()
                .path("key")
                .asText();
        promise(RawClient.post(Api.EXECUTIONS, 1_000, "Authorization", "Bearer " + other));

        othersAreServedQuickly();
        assertThat(answers()).containsOnlyKeys(408, 429);
    }

    @Test
    void aByteASecondComesToAnEnd() throws InterruptedException {
        RawClient client = new RawClient(server.url());
        clients.add(client);
        client.send(RawClient.post("/console/session", 1_000));
        CompletableFuture<Integer> status = CompletableFuture.supplyAsync(() -> client.status(PATIENCE));
        // It never pauses for long: that it takes too long altogether is what ends it.
        while (!status.isDone()) {
            client.send(" ");
            Thread.sleep(1_000);
        }

        assertThat(status.join()).isEqualTo(408);
    }

    @Test
    void aBodyInTwoPiecesIsTaken() throws InterruptedException {
        String body = Submission.javascript("return 1").json();
        RawClient client = new RawClient(server.url());
        clients.add(client);
        client.send(RawClient.post(Api.EXECUTIONS, body.length(), "Authorization", "Bearer " + server.adminKey()));
        Thread.sleep(300);
        client.send(body.substring(0, 5));
        Thread.sleep(300);
        client.send(body.substring(5));

        assertThat(client.status(PATIENCE)).isEqualTo(202);
    }
}
