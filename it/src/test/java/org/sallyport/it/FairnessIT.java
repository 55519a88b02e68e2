package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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

/**
 * One tenant's backlog is not another's wait, and nothing of it is lost. The backlog has as many executions as the system property
 * {@code fairness.backlog} says, such as 100,000.
 */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FairnessIT {
    private static final String BATCHES = "/api/v1/batches";
    private static final int PLACES = 2;
    private static final int BACKLOG = Integer.getInteger("fairness.backlog", 1_500);
    /** As many as a batch may have. */
    private static final int BATCH = 10_000;

    private static final int SOME = 1_500;
    private static final int RUNS = 7;
    /** So long an execution of the backlog has its place. */
    private static final Duration HOLD = Duration.ofMillis(100);
    /** The machine is busy with the backlog, and perhaps with more: then a run takes longer alone, too. */
    private static final Duration BUSY = Duration.ofMillis(800);

    private static final int TIMES_AS_LONG = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

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

    private List<String> flood(String code, int many) {
        List<String> batches = new ArrayList<>();
        for (int left = many; left > 0; left -= BATCH) {
            String items = String.join(",", Collections.nCopies(Math.min(left, BATCH), "{\"code\": \"" + code + "\"}"));
            batches.add(flooding.post(BATCHES, "{\"items\": [" + items + "]}")
                    .expect(202)
                    .json()
                    .path("id")
                    .asText());
        }
        return batches;
    }

    private long counted(List<String> batches, String state) {
        return batches.stream()
                .mapToLong(batch -> flooding.get(BATCHES + "/" + batch)
                        .expect(200)
                        .json()
                        .at("/counts/" + state)
                        .asLong())
                .sum();
    }

    /** The median of a few. */
    private Duration usualRun() {
        return IntStream.range(0, RUNS)
                .mapToObj(run -> oneRun())
                .sorted()
                .skip(RUNS / 2)
                .findFirst()
                .orElseThrow();
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
        Duration alone = usualRun();
        List<String> batches = flood("await sleep(" + HOLD.toMillis() + ")", BACKLOG);
        try {
            Await.until(
                    "some of it waits for its tenant's turn",
                    PATIENCE,
                    () -> flooding.get("/metrics").expect(200).text().lines().anyMatch(FairnessIT::isHeldBack));
            String last = flooding.submit(Submission.javascript("return 'last'"));
            JsonNode why = flooding.get(Api.EXECUTIONS + "/" + last + "/why")
                    .expect(200)
                    .json();
            assertThat(why.path("reason").asText()).as(why.toString()).isEqualTo("tenant-share");
            assertThat(why.path("position").asInt()).isGreaterThan(BACKLOG / 2);
            flooding.cancel(last).expect(202);

            Duration beside = usualRun();

            System.out.println("a run takes " + alone.toMillis() + " ms alone, and " + beside.toMillis() + " ms beside "
                    + BACKLOG);
            // All of it takes over a minute; a place is free every fifty milliseconds.
            assertThat(counted(batches, "PENDING")).isGreaterThan(BACKLOG / 2);
            assertThat(beside)
                    .isLessThan(alone.multipliedBy(TIMES_AS_LONG).plus(HOLD).plus(BUSY));
            assertThat(server.logText()).doesNotContain("cannot be sent");
        } finally {
            batches.forEach(batch ->
                    flooding.post(BATCHES + "/" + batch + "/cancel", "").expect(202));
        }
    }

    private static boolean isHeldBack(String line) {
        return line.startsWith("sallyport_jobs_held ") && !line.endsWith(" 0") && !line.endsWith(" 0.0");
    }

    @Test
    void whatIsHeldWhenItsNodeDiesRunsAllTheSame() {
        List<String> batches = flood("return 1", SOME);
        Await.until("some have run", PATIENCE, () -> counted(batches, "COMPLETED") > 20);
        server.kill();
        server.begin();
        server.awaitReady();

        Await.until("all have run", Duration.ofMinutes(8), () -> counted(batches, "COMPLETED") == SOME);
    }
}
