package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.StoredKeys;
import org.sallyport.it.harness.Submission;

/** One tenant's backlog is not another's wait, and nothing of it is lost. */
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FairnessIT {
    private static final String BATCHES = "/api/v1/batches";
    private static final int PLACES = 2;
    private static final int BACKLOG = 1_500;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private SallyportServer server;
    private Api flooding;
    private Api other;

    @BeforeAll
    void start() {
        ServerSetup fresh = ServerSetup.fresh("fairness");
        server = fresh.with("sallyport.db.url", StoredKeys.liveUrl(fresh.data()))
                .with("h2.bindAddress", "127.0.0.1")
                .with("sallyport.runner.live", Integer.toString(PLACES))
                .start();
        flooding = server.api();
        other = flooding.as(StoredKeys.addForeignLive(server.data()));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private String flood(String code, int many) {
        String items = String.join(",", Collections.nCopies(many, "{\"code\": \"" + code + "\"}"));
        return flooding.post(BATCHES, "{\"items\": [" + items + "]}")
                .expect(202)
                .json()
                .path("id")
                .asText();
    }

    private long counted(String batch, String state) {
        return flooding.get(BATCHES + "/" + batch)
                .expect(200)
                .json()
                .at("/counts/" + state)
                .asLong();
    }

    private Duration oneRun() {
        long begun = System.nanoTime();
        assertThat(other.run(Submission.javascript("return 1")).path("state").asText())
                .isEqualTo("COMPLETED");
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    @Test
    void aBacklogOfOneTenantDoesNotDelayAnothersFirst() {
        oneRun();
        String batch = flood("await sleep(100)", BACKLOG);
        String last = Await.value("some of it waits for its tenant's turn", PATIENCE, () -> {
            String newest = flooding.get(Api.EXECUTIONS + "?state=PENDING&limit=1")
                    .expect(200)
                    .json()
                    .at("/items/0/id")
                    .asText();
            return Optional.of(newest).filter(id -> !id.isEmpty() && why(id).equals("tenant-share"));
        });
        assertThat(last).isNotEmpty();

        List<Duration> waits = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            waits.add(oneRun());
        }

        long pending = counted(batch, "PENDING");
        // All of it takes over a minute; a place is free every fifty milliseconds.
        assertThat(pending).isGreaterThan(BACKLOG / 2);
        Collections.sort(waits);
        assertThat(waits.get(3)).as(waits.toString()).isLessThan(Duration.ofSeconds(1));
        assertThat(server.logText()).doesNotContain("cannot be sent");
        flooding.post(BATCHES + "/" + batch + "/cancel", "").expect(202);
    }

    private String why(String id) {
        return flooding.get(Api.EXECUTIONS + "/" + id + "/why")
                .json()
                .path("reason")
                .asText();
    }

    @Test
    void whatIsHeldWhenItsNodeDiesRunsAllTheSame() {
        String batch = flood("return 1", BACKLOG);
        Await.until("some have run", PATIENCE, () -> counted(batch, "COMPLETED") > 20);
        server.kill();
        server.begin();
        server.awaitReady();

        Await.until("all have run", Duration.ofMinutes(2), () -> counted(batch, "COMPLETED") == BACKLOG);
    }
}
