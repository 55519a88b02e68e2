package org.sallyport.it.hostile;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Pace;
import org.sallyport.it.harness.Submission;

/** Rows of many executions. */
final class CrowdRows {
    private static final int AT_ONCE = 4;
    private static final Duration PROMPT = Duration.ofSeconds(2);
    private static final int SOURCE = 250_000;
    private static final String STUCK_READER = "if(1)\n".repeat(30_000) + "; return ";

    private CrowdRows() {}

    static List<Row> all() {
        Expected contained = Expected.outcome("contained");
        return List.of(
                Row.of("B51", "a thousand different sources of 250 KB", contained, arena -> sources(arena, 1_000))
                        .slow()
                        .onItsOwn(),
                Row.of("B51b", "twenty different sources of 250 KB", contained, arena -> sources(arena, 20))
                        .onItsOwn(),
                Row.of("D13", "ten thousand calls in one trace", contained, CrowdRows::longTrace)
                        .slow()
                        .onItsOwn(),
                Row.of("X120", "twenty endless loops, cancelled together", contained, arena -> loops(arena, 20))
                        .slow()
                        .onItsOwn(),
                Row.of("X125", "an honest script beside endless loops", contained, CrowdRows::beside)
                        .onItsOwn(),
                Row.of("X126", "an honest execution that outlives its workers", contained, CrowdRows::survivor)
                        .in(Mode.WORKER)
                        .slow()
                        .onItsOwn(),
                Row.of("X121", "three hundred executions that sleep", contained, arena -> sleepers(arena, 300))
                        .slow()
                        .onItsOwn(),
                Row.of("X122", "scripts that take long to read, all at once", contained, CrowdRows::slowReading)
                        .in(Mode.WORKER)
                        .slow()
                        .onItsOwn());
    }

    private static Sighting sources(Arena arena, int count) {
        ExecutorService lanes = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<CompletableFuture<Sighting>> all = IntStream.range(0, count)
                    .mapToObj(number -> CompletableFuture.supplyAsync(
                            () -> arena.run(Submission.javascript("// " + "x\n//".repeat(SOURCE / 8) + "\nconst a = ["
                                    + ("() => " + number + ",\n").repeat(SOURCE / 2 / 12) + "]; return a[0]();")),
                            lanes))
                    .toList();
            for (int i = 0; i < count; i++) {
                Sighting each = all.get(i).join();
                if (each.result().asInt(-1) != i) {
                    throw new AssertionError("number " + i + ": " + each.outcome() + " " + each.seen());
                }
            }
            return Sighting.of("contained", "");
        } finally {
            lanes.shutdownNow();
        }
    }

    private static Sighting longTrace(Arena arena) {
        Sighting ended = arena.run(Submission.javascript("let n = 0; const lane = async () => { while (n < 9999) {"
                        + " n++; await demo.echo(n); } };"
                        + " await Promise.all(Array.from({ length: 30 }, lane)); return n;")
                .limit("toolCalls", 10_000)
                .limit("wallMillis", 120_000));
        long events = arena.api().trace(ended.whole().path("id").asText()).size();
        boolean whole = ended.outcome().equals("COMPLETED") && events >= 2 * 9_999;
        return Sighting.of(
                whole ? "contained" : ended.outcome() + " with " + events + " events",
                ended.whole().toString());
    }

    /** Those that run and those that still wait: all end in time. */
    private static Sighting loops(Arena arena, int count) {
        Api api = arena.api();
        List<String> ids = IntStream.range(0, count)
                .mapToObj(number -> api.submit(Submission.javascript("/* " + number + " */ while (true) {}")
                        .limit("wallMillis", 60_000)))
                .toList();
        Instant moment = Instant.now();
        List<CompletableFuture<Answer>> cancels = ids.stream()
                .map(id -> api.sendAsync(api.request(Api.EXECUTIONS + "/" + id + "/cancel")
                        .POST(java.net.http.HttpRequest.BodyPublishers.noBody())))
                .toList();
        cancels.forEach(CompletableFuture::join);
        long longest = 0;
        for (String id : ids) {
            Sighting each = arena.sighting(id).cancelledAt(moment);
            longest = Math.max(longest, each.stopMillis().orElse(0));
            if (!each.outcome().equals("CANCELLED")) {
                throw new AssertionError(each.outcome() + " " + each.seen());
            }
        }
        return Sighting.of(longest <= 3_000 ? "contained" : "the last ended after " + longest + " ms", "");
    }

    /** As many as a worker has threads for scripts, each within its limits, must not hold up anybody else of their tenant. */
    private static Sighting beside(Arena arena) {
        Api api = arena.api();
        Pace pace = Pace.of(api);
        List<String> ids = IntStream.range(0, AT_ONCE)
                .mapToObj(number -> api.submit(
                        Submission.javascript("console.log('begun'); await sleep(1); while (" + number + " < 9) {}")
                                .limit("wallMillis", 60_000)))
                .toList();
        ids.forEach(id -> api.awaitOutput(id, "begun"));
        long start = System.nanoTime();
        Sighting honest = arena.run(Submission.javascript("return demo.add({ a: 1, b: " + start + " });"));
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        ids.forEach(api::cancel);
        ids.forEach(api::awaitEnd);
        boolean prompt = honest.outcome().equals("COMPLETED") && time.compareTo(pace.within(PROMPT)) < 0;
        return Sighting.of(
                prompt ? "contained" : "an honest script took " + time.toMillis() + " ms: " + honest.outcome(), "");
    }

    /** Only reads, and is never the one that computes when a worker is killed. */
    private static Sighting survivor(Arena arena) {
        Api api = arena.api();
        String honest = api.submit(Submission.javascript(
                        "console.log('begun'); for (let i = 0; i < 200; i++) { await demo.echo(i); await sleep(100); } return 'whole';")
                .limit("wallMillis", 120_000));
        api.awaitOutput(honest, "begun");
        for (int round = 0; round < AT_ONCE; round++) {
            List<String> killers = IntStream.range(0, AT_ONCE)
                    .mapToObj(number -> api.submit(Submission.javascript("/* " + number
                                    + " */ return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);")
                            .limit("wallMillis", 500)))
                    .toList();
            killers.forEach(api::awaitEnd);
        }
        JsonNode ended = api.awaitEnd(honest);
        return Sighting.of(
                ended.path("result").asText().equals("whole") ? "contained" : "ended " + ended.path("error"), "");
    }

    private static Sighting sleepers(Arena arena, int count) {
        Api api = arena.api();
        List<String> ids = IntStream.range(0, count)
                .mapToObj(number -> api.submit(Submission.javascript(
                                "globalThis.mine = new Array(100).fill(args); for (;;) await sleep('5s');")
                        .args(Integer.toString(number))))
                .toList();
        Await.until(
                "all sleep",
                Duration.ofSeconds(180),
                () -> arena.sandbox().path("sessions").asInt() >= count);
        Sighting beside = arena.run(Submission.javascript("return demo.add({ a: 1, b: 2 });"));
        ids.forEach(api::cancel);
        ids.forEach(id -> Await.value(
                "execution " + id + " has ended",
                Duration.ofSeconds(120),
                () -> Optional.of(api.execution(id)).filter(Api::ended)));
        return Sighting.of(beside.result().asInt() == 3 ? "contained" : "others had to wait: " + beside.outcome(), "");
    }

    /** A reader that cannot be interrupted must not go on computing for nobody. */
    private static Sighting slowReading(Arena arena) {
        Api api = arena.api();
        List<CompletableFuture<Answer>> answers = IntStream.range(0, AT_ONCE)
                .mapToObj(number -> api.sendAsync(api.submission(
                        Submission.typescript(STUCK_READER + number).json())))
                .toList();
        for (CompletableFuture<Answer> answer : answers) {
            if (answer.join().status() >= 500) {
                throw new AssertionError("the service failed: " + answer.join());
            }
        }
        Await.until(
                "no reader computes for nobody any more",
                Duration.ofSeconds(60),
                () -> Footprint.busyWorkers(arena.server()) == 0);
        return Sighting.of("contained", "");
    }
}
