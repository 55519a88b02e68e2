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
import org.sallyport.it.harness.ApiKeyInserter;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/**
 * The backlog of one tenant does not delay another tenant, and no execution of the backlog is lost. The system property
 * {@code fairness.backlog} sets the number of executions in the backlog, for example 100,000.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantFairnessIT {
    private static final String BATCHES = "/api/v1/batches";
    private static final int MAX_LIVE_EXECUTIONS = 2;
    private static final int BACKLOG_SIZE = Integer.getInteger("fairness.backlog", 1_500);
    /** The largest number of items that a batch may have. */
    private static final int MAX_BATCH_ITEMS = 10_000;

    private static final int SMALL_BACKLOG_SIZE = 1_500;
    private static final int MEASURED_RUNS = 7;
    /** Time for which each execution of the backlog holds its slot. */
    private static final Duration EXECUTION_TIME = Duration.ofMillis(100);
    /**
     * The machine is busy with the backlog and possibly with other work, so a run takes longer even without contention
     * for slots.
     */
    private static final Duration BUSY_ALLOWANCE = Duration.ofMillis(800);

    private static final int MAX_SLOWDOWN = 8;
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    private SallyportServer server;
    private RestClient floodingApi;
    private RestClient otherApi;

    @BeforeAll
    void start() {
        ServerSetup fresh = ServerSetup.create("fairness");
        server = fresh.with("sallyport.db.url", ApiKeyInserter.sharedDatabaseUrl(fresh.dataDirectory()))
                .with("h2.bindAddress", "127.0.0.1")
                .with("sallyport.runner.max-live-executions", Integer.toString(MAX_LIVE_EXECUTIONS))
                .start();
        floodingApi = server.api();
        otherApi = floodingApi.withKey(ApiKeyInserter.insertForeign(server.dataDirectory()));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private List<String> submitBacklog(String code, int many) {
        List<String> batches = new ArrayList<>();
        for (int left = many; left > 0; left -= MAX_BATCH_ITEMS) {
            String items = String.join(
                    ",", Collections.nCopies(Math.min(left, MAX_BATCH_ITEMS), "{\"code\": \"" + code + "\"}"));
            batches.add(floodingApi
                    .post(BATCHES, "{\"items\": [" + items + "]}")
                    .expectStatus(202)
                    .json()
                    .path("id")
                    .asText());
        }
        return batches;
    }

    private long countInState(List<String> batches, String state) {
        return batches.stream()
                .mapToLong(batch -> floodingApi
                        .get(BATCHES + "/" + batch)
                        .expectStatus(200)
                        .json()
                        .at("/counts/" + state)
                        .asLong())
                .sum();
    }

    /** Median of a few runs. */
    private Duration medianRunTime() {
        return IntStream.range(0, MEASURED_RUNS)
                .mapToObj(run -> measureRun())
                .sorted()
                .skip(MEASURED_RUNS / 2)
                .findFirst()
                .orElseThrow();
    }

    private Duration measureRun() {
        long begun = System.nanoTime();
        assertThat(otherApi.run(SubmissionBody.javascript("return 1"))
                        .path("state")
                        .asText())
                .isEqualTo("COMPLETED");
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    @Test
    void backlogOfOneTenantDoesNotDelayAnotherTenant() {
        measureRun();
        Duration alone = medianRunTime();
        List<String> batches = submitBacklog("await sleep(" + EXECUTION_TIME.toMillis() + ")", BACKLOG_SIZE);
        try {
            Await.until(
                    "some of it waits for its tenant's turn",
                    TIMEOUT,
                    () -> floodingApi
                            .get("/metrics")
                            .expectStatus(200)
                            .text()
                            .lines()
                            .anyMatch(TenantFairnessIT::isHeldBack));
            String last = floodingApi.submit(SubmissionBody.javascript("return 'last'"));
            JsonNode why = floodingApi
                    .get(RestClient.EXECUTIONS + "/" + last + "/why")
                    .expectStatus(200)
                    .json();
            assertThat(why.path("reason").asText()).as(why.toString()).isEqualTo("tenant-share");
            assertThat(why.path("position").asInt()).isGreaterThan(BACKLOG_SIZE / 2);
            floodingApi.cancel(last).expectStatus(202);

            Duration beside = medianRunTime();

            System.out.println("a run takes " + alone.toMillis() + " ms alone, and " + beside.toMillis() + " ms beside "
                    + BACKLOG_SIZE);
            // The whole backlog takes over a minute; a slot becomes free every 50 milliseconds.
            assertThat(countInState(batches, "PENDING")).isGreaterThan(BACKLOG_SIZE / 2);
            assertThat(beside)
                    .isLessThan(alone.multipliedBy(MAX_SLOWDOWN)
                            .plus(EXECUTION_TIME)
                            .plus(BUSY_ALLOWANCE));
            assertThat(server.logText()).doesNotContain("cannot be sent");
        } finally {
            batches.forEach(batch ->
                    floodingApi.post(BATCHES + "/" + batch + "/cancel", "").expectStatus(202));
        }
    }

    private static boolean isHeldBack(String line) {
        return line.startsWith("sallyport_jobs_held ") && !line.endsWith(" 0") && !line.endsWith(" 0.0");
    }

    @Test
    void heldExecutionsRunAfterTheirNodeDies() {
        List<String> batches = submitBacklog("return 1", SMALL_BACKLOG_SIZE);
        Await.until("some have run", TIMEOUT, () -> countInState(batches, "COMPLETED") > 20);
        server.kill();
        server.startProcess();
        server.awaitReady();

        Await.until(
                "all have run", Duration.ofMinutes(8), () -> countInState(batches, "COMPLETED") == SMALL_BACKLOG_SIZE);
    }
}
