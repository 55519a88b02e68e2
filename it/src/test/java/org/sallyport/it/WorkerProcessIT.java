package org.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.ProcessInspector;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerProfile;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestTenant;
import org.sallyport.it.harness.TimingCalibration;
import org.sallyport.it.harness.UseServer;

/** The worker processes in which scripts run. */
@ExtendWith(ServerExtension.class)
@UseServer(ServerProfile.SMALL)
class WorkerProcessIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final SallyportServer server;
    private final RestClient api;

    WorkerProcessIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @Test
    void severalExecutionsShareAWorker() {
        // An execution that ended earlier leaves its worker shortly after its end, and would hold a slot.
        JsonNode before = awaitHealth(
                "no session is in a worker", data -> data.path("sessions").asInt() == 0);
        List<String> running = startSleepers();
        try {
            // The pool prefers a second worker while scripts compute in the first one, so the sessions may be in more
            // than one. Workers of other tenants may be left from other tests.
            JsonNode sandbox = awaitHealth(
                    "some of the sessions share a worker",
                    data -> data.path("sessions").asInt() == running.size()
                            && usedWorkers(data) - usedWorkers(before) < running.size());
            assertThat(sandbox.path("mode").asText()).isEqualTo("worker");
            assertThat(server.workers()).isNotEmpty();
        } finally {
            running.forEach(id -> api.cancel(id).expectStatus(202));
            running.forEach(api::awaitEnd);
        }
    }

    @Test
    void executionsOfAKilledWorkerRunAgainWithoutDuplicateEffects() {
        List<String> innocent = startUnaffectedExecutions(ServerProfile.MAX_LIVE_EXECUTIONS, "killed");
        List<ProcessHandle> victims = server.workers();
        assertThat(victims).isNotEmpty();

        // Kills the warm workers too, because the test cannot see from outside which worker runs the executions. A
        // worker that is killed later may have taken over executions of one that was killed first.
        victims.forEach(ProcessInspector::kill);

        innocent.forEach(this::assertCompleted);
        assertCounted("killed", innocent);
        assertThat(server.workers()).isNotEmpty().doesNotContainAnyElementsOf(victims);
        Await.until(
                "the server is ready", TIMEOUT, () -> api.get("/health/ready").status() == 200);
    }

    @Tag("slow")
    @Test
    void executionOfAKilledWorkerResumesAndMakesItsEffectOnce() {
        String id = api.submit(SubmissionBody.javascript(
                "await demo.counter_increment({ name: 'effect' }); console.log('begun'); await sleep('20s');"
                        + " return 'done'"));
        api.awaitOutput(id, "begun");

        server.workers().forEach(ProcessInspector::kill);

        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("done");
        assertThat(ended.path("output").asText()).isEqualTo("begun\n");
        assertThat(ended.path("attempt").asInt()).isGreaterThan(1);
        assertCounted("effect", List.of(id));
    }

    static List<List<String>> waits() {
        return List.of(
                List.of(
                        "await sleep('30s');",
                        "for (let i = 0; i < 60; i++) await sleep(500);",
                        "await events.next('worker.never', { timeout: '30s' });"),
                List.of(
                        "await demo.clock(); await sleep('30s');",
                        "await sleep('1s'); await demo.counter_increment({ name: 'sleeper' }); await sleep('29s');"));
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("waits")
    void executionsOfAKilledWorkerSleepOnlyForTheRemainingTime(List<String> waits) {
        List<String> ids = waits.stream()
                .map(wait -> api.submit(SubmissionBody.javascript(wait + " return 'woke'")))
                .toList();
        Await.until(
                "a large part of each wait is over",
                TIMEOUT,
                () -> ids.stream()
                        .allMatch(id -> Instant.now().minusSeconds(20).isAfter(startOf(api.getExecution(id)))));

        server.workers().forEach(ProcessInspector::kill);

        assertThat(ids).allSatisfy(id -> {
            JsonNode ended = api.awaitEnd(id);
            assertThat(ended.path("result").asText()).as(ended.toString()).isEqualTo("woke");
            assertThat(ended.path("attempt").asInt()).isGreaterThan(1);
            Instant finished = Instant.parse(ended.path("finishedAt").asText());
            assertThat(Duration.between(startOf(ended), finished))
                    .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(45));
        });
    }

    /** The first start of an execution; the distant future until then. */
    private static Instant startOf(JsonNode execution) {
        return execution.has("startedAt")
                ? Instant.parse(execution.path("startedAt").asText())
                : Instant.MAX;
    }

    @Tag("slow")
    @Test
    void executionThatBlocksItsWorkerTimesOutAndTheOthersContinue() {
        List<String> innocent = startUnaffectedExecutions(ServerProfile.MAX_LIVE_EXECUTIONS - 1, "beside");

        JsonNode endless =
                api.run(SubmissionBody.javascript("return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);")
                        .limit("wallMillis", 500));

        assertThat(endless.path("state").asText()).isEqualTo("TIMED_OUT");
        innocent.forEach(this::assertCompleted);
        assertCounted("beside", innocent);
    }

    @Tag("slow")
    @Test
    void executionThatExhaustsWorkerMemoryFailsAndTheOthersContinue() {
        List<String> innocent = startUnaffectedExecutions(ServerProfile.MAX_LIVE_EXECUTIONS - 1, "memory");

        JsonNode greedy = api.run(SubmissionBody.javascript("return 'x'.repeat(2 ** 30 - 25).length;"));

        assertThat(greedy.path("state").asText()).isEqualTo("FAILED");
        assertThat(greedy.path("error").path("code").asText()).isEqualTo("memory-limit");
        innocent.forEach(this::assertCompleted);
        assertCounted("memory", innocent);
    }

    /** Replies that the paused worker does not read fill its socket. They must not occupy threads that others need. */
    @Tag("slow")
    @Test
    void workerThatNeverReadsDelaysNoOtherTenant(TestTenant paused, TestTenant other) {
        awaitHealth("a worker is warm", data -> data.path("warm").asInt() > 0);
        TimingCalibration pace = TimingCalibration.of(other.api());
        Map<Long, Duration> before =
                server.workers().stream().collect(Collectors.toMap(ProcessHandle::pid, WorkerProcessIT::processorTime));
        String id = paused.api().submit(SubmissionBody.javascript("""
                let x = 0;
                for (let i = 0; i < 2e7; i++) x = (x * 31 + i) % 65521;
                const value = 'x'.repeat(150_000);
                const calls = Array.from({ length: 16 }, () => demo.slow({ millis: 4000, value }));
                await sleep(1);
                console.log('computed');
                return (await Promise.all(calls)).length;
                """));
        paused.api().awaitOutput(id, "computed");
        ProcessHandle busiest = findBusiest(before);
        Duration longest = Duration.ZERO;
        ProcessInspector.pause(busiest.pid());
        try {
            Await.until("calls of the paused worker are answered", TIMEOUT, () -> hasReply(paused.api(), id));
            for (int i = 0; i < 10; i++) {
                long start = System.nanoTime();
                JsonNode ended = other.api().run(SubmissionBody.javascript("return demo.add({ a: 1, b: 2 });"));
                Duration time = Duration.ofNanos(System.nanoTime() - start);
                assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(3);
                longest = time.compareTo(longest) > 0 ? time : longest;
            }
        } finally {
            // The service may have killed the worker, because it did not read.
            if (busiest.isAlive()) {
                ProcessInspector.resume(busiest.pid());
            }
        }
        JsonNode ended = paused.api().awaitEnd(id);
        assertThat(ended.path("result").asInt()).as(ended.toString()).isEqualTo(16);
        assertThat(longest).isLessThan(pace.adjustLimit(Duration.ofSeconds(1)));
    }

    /** Returns the worker that has used most processor time since then. */
    private ProcessHandle findBusiest(Map<Long, Duration> before) {
        return server.workers().stream()
                .filter(worker -> before.containsKey(worker.pid()))
                .max(Comparator.comparing(
                        worker -> processorTime(worker).minus(before.getOrDefault(worker.pid(), Duration.ZERO))))
                .orElseThrow();
    }

    private static Duration processorTime(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static boolean hasReply(RestClient api, String id) {
        return api.getTrace(id).stream()
                .anyMatch(event -> event.path("type").asText().equals("tool_end"));
    }

    @Test
    void workersSeeNoEnvironmentOrKeyOfTheServer() {
        assertThat(server.workers()).isNotEmpty().allSatisfy(worker -> {
            assertThat(ProcessInspector.environment(worker.pid())).isEmpty();
            assertThat(ProcessInspector.commandLine(worker.pid()))
                    .noneMatch(argument -> argument.contains(server.adminKey()));
        });
    }

    /** {@link ShutdownIT} covers a server whose executions all end within the grace period. */
    @Tag("slow")
    @Test
    void stoppedServerLeavesNoProcess() {
        startSleepers();
        List<ProcessHandle> below = server.descendants();
        assertThat(below).isNotEmpty();

        server.stop();

        Await.until(
                "nothing that the server started lives",
                TIMEOUT,
                () -> below.stream().noneMatch(ProcessHandle::isAlive));
    }

    /**
     * Starts the scripts one after the other, because the pool uses a second worker while scripts compute in the first.
     * The scripts keep no journal, so they end with their server; with a journal, the next server would resume them.
     */
    private List<String> startSleepers() {
        return Stream.generate(this::startSleeper)
                .limit(ServerProfile.MAX_LIVE_EXECUTIONS)
                .toList();
    }

    private String startSleeper() {
        String id = api.submit(SubmissionBody.javascript("console.log('begun'); for (;;) await sleep('5s');")
                .with("durability", "\"none\""));
        api.awaitOutput(id, "begun");
        return id;
    }

    /**
     * Starts scripts that make a call, wait long enough for the test to kill a worker, and raise the counter once. The
     * scripts start one after the other, so that one worker runs all of them.
     */
    private List<String> startUnaffectedExecutions(int number, String name) {
        return Stream.generate(() -> {
                    String id = api.submit(SubmissionBody.javascript("""
                            await demo.counter_read({ name: args });
                            console.log('begun');
                            await sleep('25s');
                            return await demo.counter_increment({ name: args });
                            """).args('"' + name + '"'));
                    api.awaitOutput(id, "begun");
                    return id;
                })
                .limit(number)
                .toList();
    }

    /** Allows more than two attempts: an execution may lose a second worker before it ends. */
    private JsonNode assertCompleted(String id) {
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("state").asText()).describedAs(ended.toString()).isEqualTo("COMPLETED");
        assertThat(ended.path("attempt").asInt()).describedAs(ended.toString()).isGreaterThan(1);
        assertThat(ended.path("output").asText()).isEqualTo("begun\n");
        return ended;
    }

    /** Checks that each execution raised the counter once. A repeated test also finds those of its first try. */
    private void assertCounted(String name, List<String> once) {
        JsonNode ledger = api.run(SubmissionBody.javascript("return demo.counter_ledger({ name: args });")
                        .args('"' + name + '"'))
                .path("result");
        assertThat(ledger)
                .extracting(call -> call.asText().replaceAll("/.*", ""))
                .filteredOn(once::contains)
                .containsExactlyInAnyOrderElementsOf(once);
    }

    /** The workers that have a tenant; one that starts is neither warm nor used. */
    private static int usedWorkers(JsonNode health) {
        return health.path("workers").asInt() - health.path("warm").asInt();
    }

    private JsonNode awaitHealth(String what, Predicate<JsonNode> condition) {
        return Await.untilPresent(
                what, TIMEOUT, () -> Optional.of(sandboxHealth()).filter(condition));
    }

    private JsonNode sandboxHealth() {
        for (JsonNode check : api.get("/health/ready").expectStatus(200).json().path("checks")) {
            if (check.path("name").asText().equals("sandbox")) {
                return check.path("data");
            }
        }
        throw new AssertionError("the health has no check 'sandbox'");
    }
}
