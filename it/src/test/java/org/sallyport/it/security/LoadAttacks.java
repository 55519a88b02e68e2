package org.sallyport.it.security;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TimingCalibration;

/** Cases with many executions. */
final class LoadAttacks {
    private static final int CONCURRENCY = 4;
    private static final Duration MAX_LATENCY = Duration.ofSeconds(2);
    private static final int SOURCE_CHARS = 250_000;
    private static final String SLOW_PARSE_SCRIPT = "if(1)\n".repeat(30_000) + "; return ";

    private LoadAttacks() {}

    static List<AttackCase> all() {
        AttackExpectation contained = AttackExpectation.outcome("contained");
        return List.of(
                AttackCase.of(
                                "B51",
                                "three hundred different sources of 250 KB",
                                contained,
                                // The server caches 32 of them, a worker six.
                                arena -> manySources(arena, 300))
                        .asSlow()
                        .asExclusive(),
                AttackCase.of("B51b", "twenty different sources of 250 KB", contained, arena -> manySources(arena, 20))
                        .asExclusive(),
                AttackCase.of("D13", "ten thousand calls in one trace", contained, LoadAttacks::longTrace)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                                "X120",
                                "twenty endless loops, cancelled together",
                                contained,
                                arena -> cancelEndlessLoops(arena, 20))
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                                "X125",
                                "an honest script beside endless loops",
                                contained,
                                LoadAttacks::honestScriptBesideLoops)
                        .asExclusive(),
                AttackCase.of(
                                "X126",
                                "an honest execution that outlives its workers",
                                contained,
                                LoadAttacks::outliveWorkers)
                        .onlyIn(SandboxMode.WORKER)
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                                "X121",
                                "three hundred executions that sleep",
                                contained,
                                arena -> manySleepers(arena, 300))
                        .asSlow()
                        .asExclusive(),
                AttackCase.of(
                                "X122",
                                "scripts that take long to read, all at once",
                                contained,
                                LoadAttacks::slowParsing)
                        .onlyIn(SandboxMode.WORKER)
                        .asSlow()
                        .asExclusive());
    }

    private static AttackResult manySources(SecurityTestServer arena, int count) {
        ExecutorService lanes = Executors.newFixedThreadPool(CONCURRENCY);
        try {
            List<CompletableFuture<AttackResult>> all = IntStream.range(0, count)
                    .mapToObj(number -> CompletableFuture.supplyAsync(
                            () -> arena.run(SubmissionBody.javascript("// " + "x\n//".repeat(SOURCE_CHARS / 8)
                                    + "\nconst a = [" + ("() => " + number + ",\n").repeat(SOURCE_CHARS / 2 / 12)
                                    + "]; return a[0]();")),
                            lanes))
                    .toList();
            for (int i = 0; i < count; i++) {
                AttackResult each = all.get(i).join();
                if (each.result().asInt(-1) != i) {
                    throw new AssertionError("number " + i + ": " + each.outcome() + " " + each.visibleText());
                }
            }
            return AttackResult.of("contained", "");
        } finally {
            lanes.shutdownNow();
        }
    }

    private static AttackResult longTrace(SecurityTestServer arena) {
        AttackResult ended =
                arena.run(SubmissionBody.javascript("let n = 0; const lane = async () => { while (n < 9999) {"
                                + " n++; await demo.echo(n); } };"
                                + " await Promise.all(Array.from({ length: 30 }, lane)); return n;")
                        .limit("toolCalls", 10_000)
                        .limit("wallMillis", 120_000));
        long events =
                arena.api().getTrace(ended.execution().path("id").asText()).size();
        boolean whole = ended.outcome().equals("COMPLETED") && events >= 2 * 9_999;
        return AttackResult.of(
                whole ? "contained" : ended.outcome() + " with " + events + " events",
                ended.execution().toString());
    }

    /** Cancels both running and queued executions; all must end in time. */
    private static AttackResult cancelEndlessLoops(SecurityTestServer arena, int count) {
        RestClient api = arena.api();
        List<String> ids = IntStream.range(0, count)
                .mapToObj(number -> api.submit(SubmissionBody.javascript("/* " + number + " */ while (true) {}")
                        .limit("wallMillis", 60_000)))
                .toList();
        Instant moment = Instant.now();
        List<CompletableFuture<RestResponse>> cancels = ids.stream()
                .map(id -> api.sendAsync(api.request(RestClient.EXECUTIONS + "/" + id + "/cancel")
                        .POST(java.net.http.HttpRequest.BodyPublishers.noBody())))
                .toList();
        cancels.forEach(CompletableFuture::join);
        long longest = 0;
        for (String id : ids) {
            AttackResult each = arena.awaitResult(id).cancelledAt(moment);
            longest = Math.max(longest, each.stopMillis().orElse(0));
            if (!each.outcome().equals("CANCELLED")) {
                throw new AssertionError(each.outcome() + " " + each.visibleText());
            }
        }
        return AttackResult.of(longest <= 3_000 ? "contained" : "the last ended after " + longest + " ms", "");
    }

    /**
     * Starts as many endless loops as a worker has script threads, each within its limits. They must not delay other
     * scripts of their tenant.
     */
    private static AttackResult honestScriptBesideLoops(SecurityTestServer arena) {
        RestClient api = arena.api();
        TimingCalibration pace = TimingCalibration.of(api);
        List<String> ids = IntStream.range(0, CONCURRENCY)
                .mapToObj(number -> api.submit(
                        SubmissionBody.javascript("console.log('begun'); await sleep(1); while (" + number + " < 9) {}")
                                .limit("wallMillis", 60_000)))
                .toList();
        ids.forEach(id -> api.awaitOutput(id, "begun"));
        long start = System.nanoTime();
        AttackResult honest = arena.run(SubmissionBody.javascript("return demo.add({ a: 1, b: " + start + " });"));
        Duration time = Duration.ofNanos(System.nanoTime() - start);
        ids.forEach(api::cancel);
        ids.forEach(api::awaitEnd);
        boolean prompt = honest.outcome().equals("COMPLETED") && time.compareTo(pace.adjustLimit(MAX_LATENCY)) < 0;
        return AttackResult.of(
                prompt ? "contained" : "an honest script took " + time.toMillis() + " ms: " + honest.outcome(), "");
    }

    /** Runs a script that only reads, and that therefore is never the computing one when a worker is killed. */
    private static AttackResult outliveWorkers(SecurityTestServer arena) {
        RestClient api = arena.api();
        String honest = api.submit(SubmissionBody.javascript(
                        "console.log('begun'); for (let i = 0; i < 200; i++) { await demo.echo(i); await sleep(100); "
                                + "} return 'whole';")
                .limit("wallMillis", 120_000));
        api.awaitOutput(honest, "begun");
        for (int round = 0; round < CONCURRENCY; round++) {
            List<String> killers = IntStream.range(0, CONCURRENCY)
                    .mapToObj(number -> api.submit(SubmissionBody.javascript("/* " + number
                                    + " */ return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);")
                            .limit("wallMillis", 500)))
                    .toList();
            killers.forEach(api::awaitEnd);
        }
        JsonNode ended = api.awaitEnd(honest);
        return AttackResult.of(
                ended.path("result").asText().equals("whole") ? "contained" : "ended " + ended.path("error"), "");
    }

    private static AttackResult manySleepers(SecurityTestServer arena, int count) {
        RestClient api = arena.api();
        List<String> ids = IntStream.range(0, count)
                .mapToObj(number -> api.submit(SubmissionBody.javascript(
                                "globalThis.mine = new Array(100).fill(args); for (;;) await sleep('5s');")
                        .args(Integer.toString(number))))
                .toList();
        Await.until(
                "all sleep",
                Duration.ofSeconds(180),
                () -> arena.sandboxHealth().path("sessions").asInt() >= count);
        AttackResult beside = arena.run(SubmissionBody.javascript("return demo.add({ a: 1, b: 2 });"));
        ids.forEach(api::cancel);
        ids.forEach(id -> Await.untilPresent(
                "execution " + id + " has ended",
                Duration.ofSeconds(120),
                () -> Optional.of(api.getExecution(id)).filter(RestClient::isFinished)));
        return AttackResult.of(
                beside.result().asInt() == 3 ? "contained" : "others had to wait: " + beside.outcome(), "");
    }

    /** A parser that cannot be interrupted must not continue to use the CPU after its submission was refused. */
    private static AttackResult slowParsing(SecurityTestServer arena) {
        RestClient api = arena.api();
        List<CompletableFuture<RestResponse>> answers = IntStream.range(0, CONCURRENCY)
                .mapToObj(number -> api.sendAsync(api.submissionRequest(
                        SubmissionBody.typescript(SLOW_PARSE_SCRIPT + number).json())))
                .toList();
        for (CompletableFuture<RestResponse> answer : answers) {
            if (answer.join().status() >= 500) {
                throw new AssertionError("the service failed: " + answer.join());
            }
        }
        Await.until(
                "no reader computes for nobody any more",
                Duration.ofSeconds(60),
                () -> ResourceUsage.countBusyWorkers(arena.server()) == 0);
        return AttackResult.of("contained", "");
    }
}
