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
import org.sallyport.it.harness.RawHttpConnection;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Clients that announce a body and send little or none of it: other clients do not wait for them, and the server closes
 * their connections after a timeout.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class SlowBodiesIT {
    private static final int CLIENTS = 100;
    private static final Duration MAX_LATENCY = Duration.ofSeconds(8);
    private static final Duration TIMEOUT = Duration.ofSeconds(50);

    private final SallyportServer server;
    private final RestClient api;
    private final List<RawHttpConnection> clients = new ArrayList<>();

    SlowBodiesIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(RawHttpConnection::close);
    }

    private void sendIncompleteRequests(String head) {
        for (int i = 0; i < CLIENTS; i++) {
            RawHttpConnection client = new RawHttpConnection(server.url());
            clients.add(client);
            client.send(head + "{");
        }
    }

    /** A request head without end holds a connection but no thread. */
    @Test
    void unfinishedRequestHeadsDelayNoOtherClients() {
        for (int i = 0; i < 5 * CLIENTS; i++) {
            RawHttpConnection client = new RawHttpConnection(server.url());
            clients.add(client);
            client.send("GET /health/ready HTTP/1.1\r\nHost: te");
        }

        assertOthersServedQuickly();
        for (RawHttpConnection client : clients) {
            assertThat(client.send("st\r\nX: ")).isTrue();
        }
        assertOthersServedQuickly();
    }

    private void assertOthersServedQuickly() {
        for (int i = 0; i < 3; i++) {
            long startNanos = System.nanoTime();
            assertThat(api.run(SubmissionBody.javascript("return 6 * 7"))
                            .path("result")
                            .asInt())
                    .isEqualTo(42);
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(MAX_LATENCY);
        }
    }

    private Map<Integer, Integer> countStatuses() {
        Map<Integer, Integer> statuses = new TreeMap<>();
        clients.forEach(client -> statuses.merge(client.readStatus(TIMEOUT), 1, Integer::sum));
        return statuses;
    }

    @Test
    void unfinishedLoginRequestsDelayNoOtherClients() {
        sendIncompleteRequests(RawHttpConnection.postHead("/console/session", 100));

        assertOthersServedQuickly();
        assertThat(countStatuses()).containsOnlyKeys(408, 429);
    }

    @Test
    void unfinishedSubmissionsDelayNoOtherClients() {
        String other = api.post("/api/v1/api-keys", "{\"name\": \"slow\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        sendIncompleteRequests(
                RawHttpConnection.postHead(RestClient.EXECUTIONS, 1_000, "Authorization", "Bearer " + other));

        assertOthersServedQuickly();
        assertThat(countStatuses()).containsOnlyKeys(408, 429);
    }

    @Test
    void bodyOfOneBytePerSecondTimesOut() throws InterruptedException {
        RawHttpConnection client = new RawHttpConnection(server.url());
        clients.add(client);
        client.send(RawHttpConnection.postHead("/console/session", 1_000));
        CompletableFuture<Integer> status = CompletableFuture.supplyAsync(() -> client.readStatus(TIMEOUT));
        // The client never pauses for long, so only the limit on the total time can end the request.
        while (!status.isDone()) {
            client.send(" ");
            Thread.sleep(1_000);
        }

        assertThat(status.join()).isEqualTo(408);
    }

    @Test
    void bodyInTwoPiecesIsAccepted() throws InterruptedException {
        String body = SubmissionBody.javascript("return 1").json();
        RawHttpConnection client = new RawHttpConnection(server.url());
        clients.add(client);
        client.send(RawHttpConnection.postHead(
                RestClient.EXECUTIONS, body.length(), "Authorization", "Bearer " + server.adminKey()));
        Thread.sleep(300);
        client.send(body.substring(0, 5));
        Thread.sleep(300);
        client.send(body.substring(5));

        assertThat(client.readStatus(TIMEOUT)).isEqualTo(202);
    }
}
