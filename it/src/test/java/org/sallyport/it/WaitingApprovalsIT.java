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
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;
import org.sallyport.it.harness.Submission;

/** Ten thousand executions that wait for people hold nothing that others need. */
@Tag("slow")
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WaitingApprovalsIT {
    private static final int MANY = 10_000;
    private static final int BATCH = 2_500;
    private static final int DECIDED = 20;
    private static final int TRIALS = 41;

    /** What a busy machine may do to a trial; a queue of ten thousand before it would be far beyond. */
    private static final int TIMES_AS_LONG = 5;

    /** In nanoseconds: of a trial that took next to no time before, many times as long says nothing. */
    private static final long NOT_LONG = TimeUnit.SECONDS.toNanos(2);

    /** The broker keeps those by which it brought the jobs for a minute: some hundreds, however many wait. */
    private static final int THREADS_OF_THE_BROKER = 1_000;

    private static final String APPROVALS = "/api/v1/approvals";
    private static final String MAIL = "return demo.send_mail({ to: 'ada', subject: String(args), body: 'b' })"
            + ".then(() => 'sent ' + args, (e) => e.code);";

    private final SallyportServer server = ServerSetup.fresh("waiting-approvals")
            .with("sallyport.approvals.own", "true")
            .launch();

    @AfterAll
    void end() {
        server.close();
    }

    @Test
    void tenThousandThatWaitForPeopleHoldNoWorkerNoThreadAndNoPlace() throws IOException {
        server.awaitReady();
        Api api = server.api();
        api.post(
                        "/api/v1/policies",
                        "{\"document\":{\"rules\":[{\"name\":\"mail\",\"tools\":[\"demo.send_mail\"],\"then\":\"ask\"}]}}")
                .expect(201);
        usualNanos(api); // The first ones load classes.
        long usual = usualNanos(api);
        int threads = threads();
        // A place is free a moment after its execution has ended.
        awaitFigure(api, "sallyport_live_executions", 0);
        double places = figure(api, "sallyport_free_places");

        String last = "";
        for (int first = 0; first < MANY; first += BATCH) {
            last = submit(api, first);
        }
        awaitWaiting(api, last);
        awaitFigure(api, "sallyport_executions{state=\"WAITING\"}", MANY);

        // A runner forgets what it has parked a moment after the database knows it.
        awaitFigure(api, "sallyport_live_executions", 0);
        awaitFigure(api, "sallyport_sessions", 0);
        awaitFigure(api, "sallyport_open_calls", 0);
        awaitFigure(api, "sallyport_jobs_held", 0);
        awaitFigure(api, "sallyport_free_places", places);
        assertThat(server.workers()).hasSizeLessThanOrEqualTo(4);
        assertThat(threads()).isLessThan(threads + THREADS_OF_THE_BROKER);

        assertThat(usualNanos(api)).isLessThan(Math.max(TIMES_AS_LONG * usual, NOT_LONG));
        decideSome(api);
        awaitFigure(api, "sallyport_executions{state=\"WAITING\"}", MANY - DECIDED);
    }

    /** The id of the last one. */
    private static String submit(Api api, int first) {
        ArrayNode items = Json.array();
        IntStream.range(first, first + BATCH)
                .forEach(number -> items.add(Json.object().put("args", number)));
        var batch = Json.object();
        batch.set("items", items);
        batch.set("defaults", Json.object().put("code", MAIL));
        JsonNode accepted =
                api.post("/api/v1/batches", Json.write(batch)).expect(202).json();
        assertThat(accepted.path("total").asInt()).isEqualTo(BATCH);
        assertThat(accepted.path("refused").asInt()).isZero();
        return accepted.path("items").path(BATCH - 1).path("execution").asText();
    }

    /** Asked for alone, since to count all of them again and again would take from what they need. */
    private static void awaitWaiting(Api api, String id) {
        Await.until(
                id + " to wait for people",
                Duration.ofMinutes(20),
                () -> api.execution(id).path("state").asText().equals("WAITING"));
    }

    private static void awaitFigure(Api api, String series, double value) {
        Await.until(series + " to be " + value, Duration.ofMinutes(5), () -> figure(api, series) == value);
    }

    /** Half of them yes, half of them no; each ends with what was said. */
    private static void decideSome(Api api) {
        List<JsonNode> some = new ArrayList<>();
        api.get(APPROVALS + "?limit=" + DECIDED)
                .expect(200)
                .json()
                .path("items")
                .forEach(some::add);
        assertThat(some).hasSize(DECIDED);
        for (int i = 0; i < DECIDED; i++) {
            String path = APPROVALS + "/" + some.get(i).path("id").asText();
            api.post(path + (i % 2 == 0 ? "/approve" : "/deny"), "{}").expect(200);
        }
        for (int i = 0; i < DECIDED; i++) {
            JsonNode ended = api.awaitEnd(some.get(i).path("execution").asText());
            String subject = some.get(i).path("arguments").path("subject").asText();
            assertThat(ended.path("state").asText()).as(ended.toString()).isEqualTo("COMPLETED");
            assertThat(ended.path("result").asText()).isEqualTo(i % 2 == 0 ? "sent " + subject : "denied");
        }
    }

    /** Half of the trials took less. */
    private static long usualNanos(Api api) {
        return LongStream.range(0, TRIALS)
                .map(trial -> {
                    long begin = System.nanoTime();
                    JsonNode ended =
                            api.run(Submission.javascript("return args + 1").args(Long.toString(trial)));
                    assertThat(ended.path("result").asLong()).isEqualTo(trial + 1);
                    return System.nanoTime() - begin;
                })
                .sorted()
                .skip(TRIALS / 2)
                .findFirst()
                .orElseThrow();
    }

    private int threads() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + server.pid() + "/status")).stream()
                .filter(line -> line.startsWith("Threads:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring("Threads:".length()).strip()))
                .findFirst()
                .orElseThrow();
    }

    private static double figure(Api api, String series) {
        return api.get("/metrics")
                .expect(200)
                .text()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no figure " + series));
    }
}
