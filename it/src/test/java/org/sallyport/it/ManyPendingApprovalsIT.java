package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Thousands of executions that wait for approvals hold no resources that other executions need. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManyPendingApprovalsIT {
    /** More than {@link #MAX_BROKER_THREADS}, so that a thread for each would be noticed. */
    private static final int EXECUTIONS = Integer.getInteger("approvals.waiting", 3_000);

    private static final int ITEMS_PER_BATCH = 1_000;
    private static final int DECISIONS = 20;
    private static final int TRIALS = 41;

    /**
     * Allowance for a busy machine. A queue of thousands of executions before the trial would slow it down by far more.
     */
    private static final int MAX_SLOWDOWN = 5;

    /**
     * A trial below this time always passes. Without the pending approvals a trial takes close to no time, and
     * {@link #MAX_SLOWDOWN} times that is not a useful limit.
     */
    private static final long NEGLIGIBLE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /**
     * The broker keeps the threads that delivered the jobs for one minute: some hundreds, regardless of the number of
     * waiting executions.
     */
    private static final int MAX_BROKER_THREADS = 1_000;

    private static final String APPROVALS = "/api/v1/approvals";
    private static final String MAIL_SCRIPT = "return demo.send_mail({ to: 'ada', subject: String(args), body: 'b' })"
            + ".then(() => 'sent ' + args, (e) => e.code);";

    private final SallyportServer server = ServerSetup.create("waiting-approvals")
            .with("sallyport.approvals.allow-self-approval", "true")
            .launch();

    @AfterAll
    void end() {
        server.close();
    }

    @Test
    void manyPendingApprovalsHoldNoWorkerThreadOrSlot() throws IOException {
        server.awaitReady();
        RestClient api = server.api();
        api.post(
                        "/api/v1/policies",
                        "{\"document\":{\"rules\":[{\"name\":\"mail\",\"tools\":[\"demo.send_mail\"],"
                                + "\"decision\":\"ask\"}]}}")
                .expectStatus(201);
        medianRunNanos(api); // The first ones load classes.
        long usual = medianRunNanos(api);
        int threads = countThreads();
        // A slot becomes free shortly after its execution ended.
        awaitMetric(api, "sallyport_live_executions", 0);
        double places = metricValue(api, "sallyport_free_places");

        String last = "";
        for (int first = 0; first < EXECUTIONS; first += ITEMS_PER_BATCH) {
            last = submitBatch(api, first);
        }
        awaitWaiting(api, last);
        awaitMetric(api, "sallyport_executions{state=\"WAITING\"}", EXECUTIONS);

        // A runner removes a parked execution shortly after the database stores it.
        awaitMetric(api, "sallyport_live_executions", 0);
        awaitMetric(api, "sallyport_sessions", 0);
        awaitMetric(api, "sallyport_open_calls", 0);
        awaitMetric(api, "sallyport_jobs_held", 0);
        awaitMetric(api, "sallyport_free_places", places);
        assertThat(server.workers()).hasSizeLessThanOrEqualTo(4);
        assertThat(countThreads()).isLessThan(threads + MAX_BROKER_THREADS);

        assertThat(medianRunNanos(api)).isLessThan(Math.max(MAX_SLOWDOWN * usual, NEGLIGIBLE_NANOS));
        decideSome(api);
        awaitMetric(api, "sallyport_executions{state=\"WAITING\"}", EXECUTIONS - DECISIONS);
    }

    /** Submits one batch and returns the id of its last execution. */
    private static String submitBatch(RestClient api, int first) {
        ArrayNode items = TestJson.array();
        IntStream.range(first, first + ITEMS_PER_BATCH)
                .forEach(number -> items.add(TestJson.object().put("args", number)));
        var batch = TestJson.object();
        batch.set("items", items);
        batch.set("defaults", TestJson.object().put("code", MAIL_SCRIPT));
        JsonNode accepted = api.post("/api/v1/batches", TestJson.write(batch))
                .expectStatus(202)
                .json();
        assertThat(accepted.path("total").asInt()).isEqualTo(ITEMS_PER_BATCH);
        assertThat(accepted.path("refused").asInt()).isZero();
        return accepted.path("items")
                .path(ITEMS_PER_BATCH - 1)
                .path("execution")
                .asText();
    }

    /** Polls only this execution, because counting all of them repeatedly would take resources from them. */
    private static void awaitWaiting(RestClient api, String id) {
        Await.until(
                id + " to wait for people",
                Duration.ofMinutes(20),
                () -> api.getExecution(id).path("state").asText().equals("WAITING"));
    }

    private static void awaitMetric(RestClient api, String series, double value) {
        Await.until(series + " to be " + value, Duration.ofMinutes(5), () -> metricValue(api, series) == value);
    }

    /** Approves one half of them and denies the other half. Each execution ends with its decision. */
    private static void decideSome(RestClient api) {
        List<JsonNode> some = new ArrayList<>();
        api.get(APPROVALS + "?limit=" + DECISIONS)
                .expectStatus(200)
                .json()
                .path("items")
                .forEach(some::add);
        assertThat(some).hasSize(DECISIONS);
        for (int i = 0; i < DECISIONS; i++) {
            String path = APPROVALS + "/" + some.get(i).path("id").asText();
            api.post(path + (i % 2 == 0 ? "/approve" : "/deny"), "{}").expectStatus(200);
        }
        for (int i = 0; i < DECISIONS; i++) {
            JsonNode ended = api.awaitEnd(some.get(i).path("execution").asText());
            String subject = some.get(i).path("arguments").path("subject").asText();
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
            assertThat(ended.path("result").asText()).isEqualTo(i % 2 == 0 ? "sent " + subject : "denied");
        }
    }

    /** Median time of one run, in nanoseconds. */
    private static long medianRunNanos(RestClient api) {
        return LongStream.range(0, TRIALS)
                .map(trial -> {
                    long startNanos = System.nanoTime();
                    JsonNode ended =
                            api.run(SubmissionBody.javascript("return args + 1").args(Long.toString(trial)));
                    assertThat(ended.path("result").asLong()).isEqualTo(trial + 1);
                    return System.nanoTime() - startNanos;
                })
                .sorted()
                .skip(TRIALS / 2)
                .findFirst()
                .orElseThrow();
    }

    private int countThreads() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + server.pid() + "/status")).stream()
                .filter(line -> line.startsWith("Threads:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring("Threads:".length()).strip()))
                .findFirst()
                .orElseThrow();
    }

    private static double metricValue(RestClient api, String series) {
        return api.get("/metrics")
                .expectStatus(200)
                .text()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no figure " + series));
    }
}
