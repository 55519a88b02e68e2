package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.RawHttpConnection;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/** Clients that read a large response slowly or not at all: other clients do not wait for them. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
class SlowReadersIT {
    /** More than the number of request threads and of worker threads of the server. */
    private static final int CLIENTS = 100;

    private static final int MORE_THAN_THREADS = 70;
    private static final int LARGE_RESULT_CHARS = 900_000;
    /**
     * Shorter than the time for which a container thread waits for one reader, with an allowance for a busy machine.
     */
    private static final Duration MAX_LATENCY = Duration.ofSeconds(20);

    private final SallyportServer server;
    private final RestClient api;
    private final List<RawHttpConnection> clients = new ArrayList<>();

    SlowReadersIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(RawHttpConnection::close);
    }

    private void askManyTimes(String path) {
        for (int i = 0; i < CLIENTS; i++) {
            RawHttpConnection client = new RawHttpConnection(server.url());
            clients.add(client);
            client.send(RawHttpConnection.getRequest(path, server.adminKey()));
        }
    }

    private void assertOthersServedQuickly() {
        for (int i = 0; i < 5; i++) {
            long startNanos = System.nanoTime();
            assertThat(api.run(SubmissionBody.javascript("return 6 * 7"))
                            .path("result")
                            .asInt())
                    .isEqualTo(42);
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(MAX_LATENCY);
        }
    }

    @Test
    void clientsThatDoNotReadAStoredResultDelayNoOthers() {
        String id = api.run(SubmissionBody.javascript("return 'x'.repeat(" + LARGE_RESULT_CHARS + ")"))
                .path("id")
                .asText();

        askManyTimes(RestClient.EXECUTIONS + "/" + id);

        assertOthersServedQuickly();
    }

    @Test
    void longPollingClientsThatDoNotReadDelayNoOthers() {
        String id = api.submit(
                SubmissionBody.javascript("await sleep(3000); return 'x'.repeat(" + LARGE_RESULT_CHARS + ")"));

        askManyTimes(RestClient.EXECUTIONS + "/" + id + "?wait=20");
        api.awaitEnd(id);

        assertOthersServedQuickly();
    }

    @Test
    void pipelinedRequestsWithUnreadResponsesDelayNoOthers() {
        String id = api.run(SubmissionBody.javascript("return 'x'.repeat(60000)"))
                .path("id")
                .asText();
        String request = RawHttpConnection.getRequest(RestClient.EXECUTIONS + "/" + id, server.adminKey());
        for (int i = 0; i < MORE_THAN_THREADS; i++) {
            RawHttpConnection client = new RawHttpConnection(server.url());
            clients.add(client);
            client.send(request.repeat(12));
        }

        assertOthersServedQuickly();
    }

    @Test
    void slowReaderGetsTheWholeResponse() {
        String id = api.run(SubmissionBody.javascript("return 'x'.repeat(" + LARGE_RESULT_CHARS + ")"))
                .path("id")
                .asText();
        RawHttpConnection client = new RawHttpConnection(server.url());
        clients.add(client);
        client.send("GET " + RestClient.EXECUTIONS + "/" + id
                + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer " + server.adminKey()
                + "\r\n\r\n");

        assertThat(client.drain(64_000, Duration.ofMillis(10), Duration.ofSeconds(120)))
                .isGreaterThan(LARGE_RESULT_CHARS);
    }
}
