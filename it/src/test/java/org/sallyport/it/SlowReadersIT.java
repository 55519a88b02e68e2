package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.RawClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Clients that read nothing, or little at a time, of answers that are large: nobody else waits for them. */
@Tag("slow")
@ExtendWith(Servers.class)
class SlowReadersIT {
    /** More than the server has threads for requests, and than it has for work. */
    private static final int MANY = 100;

    private static final int MORE_THAN_THREADS = 70;
    private static final int LARGE = 900_000;
    /** Less than a thread of the container waits for one reader, on a machine that has other things to do. */
    private static final Duration QUICK = Duration.ofSeconds(20);

    private final SallyportServer server;
    private final Api api;
    private final List<RawClient> clients = new ArrayList<>();

    SlowReadersIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @AfterEach
    void hangUp() {
        clients.forEach(RawClient::close);
    }

    private void askManyTimes(String path) {
        for (int i = 0; i < MANY; i++) {
            RawClient client = new RawClient(server.url());
            clients.add(client);
            client.send(RawClient.get(path, server.adminKey()));
        }
    }

    private void othersAreServedQuickly() {
        for (int i = 0; i < 5; i++) {
            long begin = System.nanoTime();
            assertThat(api.run(Submission.javascript("return 6 * 7"))
                            .path("result")
                            .asInt())
                    .isEqualTo(42);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(QUICK);
        }
    }

    @Test
    void manyWhoReadNothingOfWhatIsThereHoldNobodyUp() {
        String id = api.run(Submission.javascript("return 'x'.repeat(" + LARGE + ")"))
                .path("id")
                .asText();

        askManyTimes(Api.EXECUTIONS + "/" + id);

        othersAreServedQuickly();
    }

    @Test
    void manyWhoWaitedAndReadNothingHoldNobodyUp() {
        String id = api.submit(Submission.javascript("await sleep(3000); return 'x'.repeat(" + LARGE + ")"));

        askManyTimes(Api.EXECUTIONS + "/" + id + "?wait=20");
        api.awaitEnd(id);

        othersAreServedQuickly();
    }

    @Test
    void whoAsksAgainAndAgainAndReadsNothingHoldsNobodyUp() {
        String id = api.run(Submission.javascript("return 'x'.repeat(60000)"))
                .path("id")
                .asText();
        String request = RawClient.get(Api.EXECUTIONS + "/" + id, server.adminKey());
        for (int i = 0; i < MORE_THAN_THREADS; i++) {
            RawClient client = new RawClient(server.url());
            clients.add(client);
            client.send(request.repeat(12));
        }

        othersAreServedQuickly();
    }

    @Test
    void whoReadsSlowlyGetsItAll() {
        String id = api.run(Submission.javascript("return 'x'.repeat(" + LARGE + ")"))
                .path("id")
                .asText();
        RawClient client = new RawClient(server.url());
        clients.add(client);
        client.send("GET " + Api.EXECUTIONS + "/" + id
                + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer " + server.adminKey()
                + "\r\n\r\n");

        assertThat(client.drain(64_000, Duration.ofMillis(10), Duration.ofSeconds(120)))
                .isGreaterThan(LARGE);
    }
}
