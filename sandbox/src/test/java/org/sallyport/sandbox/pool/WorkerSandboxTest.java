package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.isolation.SystemPrograms;

class WorkerSandboxTest extends SandboxContract {
    private static final Path DATA = Path.of("target", "workers");
    /** Heap in megabytes. Distinguishes the workers of a test's own sandbox from all others. */
    private static final int OWN_HEAP = 222;

    /** Scripts that a test runs one after the other to find memory that stays in use. */
    private static final int ROUNDS = Integer.getInteger("sallyport.test.rounds", 5);
    /** Repetitions of a test whose result must not depend on when the garbage collector runs. */
    private static final int REPETITIONS = Math.max(1, ROUNDS / 10);

    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new WorkerSandbox(WorkerSettings.defaults(DATA));
    }

    @AfterAll
    static void close() {
        sandbox.close();
    }

    @Override
    protected Sandbox sandbox() {
        return sandbox;
    }

    private static List<ProcessHandle> workers() {
        try (Stream<ProcessHandle> children = ProcessHandle.current().descendants()) {
            return children.filter(child -> child.info().command().orElse("").endsWith("java"))
                    .toList();
        }
    }

    /** Returns only the workers of {@link #newOwnSandbox}. The shared sandbox may start other workers meanwhile. */
    private static List<ProcessHandle> ownWorkers() {
        return workers().stream()
                .filter(each -> each.info().commandLine().orElse("").contains(" -Xmx" + OWN_HEAP + "m "))
                .toList();
    }

    /** Returns a sandbox for one test. */
    private static WorkerSandbox newOwnSandbox() {
        return new WorkerSandbox(ownSettings(WorkerSettings.defaults(DATA).minIdleWorkers()));
    }

    private static WorkerSettings ownSettings(int minIdleWorkers) {
        WorkerSettings usual = WorkerSettings.defaults(DATA);
        return new WorkerSettings(
                usual.directory(),
                usual.preparedDirectory(),
                OWN_HEAP,
                usual.threadsPerWorker(),
                minIdleWorkers,
                usual.maxWorkers(),
                usual.maxLiveSessionsPerWorker(),
                usual.maxTotalSessionsPerWorker(),
                usual.maxWorkerAge(),
                usual.sharing(),
                usual.stopGrace(),
                usual.niceness(),
                usual.errorFile(),
                usual.networkAccess());
    }

    /** Stops processes, which read and write nothing from then on. */
    private static void stop(List<ProcessHandle> processes) throws Exception {
        for (ProcessHandle each : processes) {
            new ProcessBuilder("kill", "-STOP", Long.toString(each.pid()))
                    .start()
                    .waitFor();
        }
    }

    @Test
    void availableIsolationIsUsed() {
        assertThat(sandbox.status().missingIsolation()).isEmpty();
    }

    @Test
    void uninterruptibleScriptIsStoppedWithinTwoSeconds() throws Exception {
        RecordingListener bomb = RecordingListener.start(
                sandbox, endless("return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"));
        RecordingListener.start(sandbox, request("return 1", SourceLanguage.JAVASCRIPT))
                .end();
        long start = System.nanoTime();
        bomb.session().cancel();
        assertThat(bomb.end()).isEqualTo(new SessionResult.SessionCancelled());
        assertStoppedInTime(start);
    }

    @Test
    void heapExhaustionReachesTheMemoryLimit() throws Exception {
        RecordingListener greedy =
                RecordingListener.start(sandbox, request("'x'.repeat(2 ** 30 - 25)", SourceLanguage.JAVASCRIPT));
        assertThat(greedy.end())
                .isInstanceOfSatisfying(
                        SessionResult.SessionLimitReached.class,
                        reached -> assertThat(reached.limit()).isEqualTo(SessionResult.SessionLimitType.MEMORY));
    }

    @Tag("slow")
    @Test
    void killedWorkersLoseTheirSessionsAndCloseLeavesNoProcess() throws Exception {
        WorkerSandbox own = newOwnSandbox();
        List<RecordingListener> three = Stream.of(1, 2, 3)
                .map(i -> RecordingListener.start(
                        own, request("console.log('up'); await demo.never()", SourceLanguage.JAVASCRIPT)))
                .toList();
        await(() -> three.stream().allMatch(each -> each.output().contains("up")));
        List<ProcessHandle> killed = ownWorkers();
        killed.forEach(ProcessHandle::destroyForcibly);
        for (RecordingListener each : three) {
            assertThat(each.end())
                    .isInstanceOfSatisfying(
                            SessionResult.SessionLost.class,
                            lost -> assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.WORKER_LOST));
        }
        await(() -> killed.stream().noneMatch(ProcessHandle::isAlive));
        // A session that starts before the pool detects the death of its worker is lost with it; at most one session
        // for each dead worker.
        SessionResult after = RecordingListener.start(own, request("return 7", SourceLanguage.JAVASCRIPT))
                .end();
        for (int deaths = 1; after instanceof SessionResult.SessionLost && deaths < killed.size(); deaths++) {
            after = RecordingListener.start(own, request("return 7", SourceLanguage.JAVASCRIPT))
                    .end();
        }
        assertThat(after).isEqualTo(new SessionResult.ScriptReturned("7"));
        List<ProcessHandle> last = ownWorkers();
        assertThat(last).isNotEmpty();
        own.close();
        await(() -> last.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Tag("slow")
    @Test
    void frozenWorkerLosesItsSessionsAndIsKilled() throws Exception {
        try (WorkerSandbox own = newOwnSandbox()) {
            RecordingListener waiting = RecordingListener.start(
                    own, request("console.log('up'); await demo.never()", SourceLanguage.JAVASCRIPT));
            await(() -> waiting.output().contains("up"));
            List<ProcessHandle> stopped = ownWorkers();
            stop(stopped);
            assertThat(waiting.end())
                    .isInstanceOfSatisfying(
                            SessionResult.SessionLost.class,
                            lost -> assertThat(lost.reason()).isEqualTo(SessionResult.SessionLossReason.WORKER_LOST));
            await(() -> stopped.stream().anyMatch(each -> !each.isAlive()));
        }
    }

    @Tag("slow")
    @Timeout(240)
    @Test
    void workerThatNeverReadsDelaysNoOther() throws Exception {
        WorkerSettings settings = ownSettings(0);
        // Has no periodic inspection, so the stopped worker is not killed before the test asks for it.
        try (WorkerSandbox own =
                new WorkerSandbox(settings, WorkerSandbox.processRuntime(settings, SystemPrograms.SYSTEM_DEFAULT))) {
            RecordingListener stuck =
                    RecordingListener.start(own, request("await demo.never()", SourceLanguage.JAVASCRIPT));
            await(() -> !stuck.calls().isEmpty());
            stop(ownWorkers());
            String megabyte = '"' + "x".repeat(1 << 20) + '"';
            for (int i = 0; i < 8; i++) {
                stuck.session().resolve(1, megabyte);
            }
            // The same thread now serves a script in another worker.
            assertThat(RecordingListener.start(
                                    own,
                                    request("other", "return await demo.echo({ a: 1 })", SourceLanguage.JAVASCRIPT))
                            .end())
                    .isEqualTo(new SessionResult.ScriptReturned("{\"a\":1}"));
            assertThat(stuck.isEnded()).isFalse();
            await(() -> {
                own.inspectWorkers(System.nanoTime() + TimeUnit.SECONDS.toNanos(11));
                return stuck.isEnded();
            });
            assertThat(stuck.end())
                    .isInstanceOfSatisfying(
                            SessionResult.SessionLost.class,
                            lost -> assertThat(lost.message()).contains("it did not read its socket"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "Array<"})
    void scriptThatCrashesItsParserAffectsNoOtherSession(String piece) throws Exception {
        assertNoOtherSessionIsAffected(piece);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"{a:", "x=>", "!", "(()=>{", "1;if(1)\n"})
    void scriptThatCrashesItsParserInAnotherWayAffectsNoOtherSession(String piece) throws Exception {
        assertNoOtherSessionIsAffected(piece);
    }

    private static void assertNoOtherSessionIsAffected(String piece) throws Exception {
        RecordingListener innocent =
                RecordingListener.start(sandbox, request("await sleep(500); return 1", SourceLanguage.JAVASCRIPT));
        for (int times : new int[] {200, 20_000}) {
            Script deep = new Script("let x: any = " + piece.repeat(times), SourceLanguage.TYPESCRIPT);
            assertThat(sandbox.check("t", deep).toCompletableFuture().get(120, TimeUnit.SECONDS))
                    .isInstanceOf(ScriptCheckResult.ScriptRejected.class);
        }
        SessionResult end = innocent.end();
        if (!end.equals(new SessionResult.ScriptReturned("1"))) {
            assertThat(end)
                    .isInstanceOfSatisfying(
                            SessionResult.SessionLost.class,
                            lost -> assertThat(lost.suspect()).isFalse());
        }
    }

    @Test
    void scriptMayContainLongText() throws Exception {
        String text = "const text = '" + "a".repeat(100_000) + "'; // " + "b".repeat(100_000) + "\nreturn text.length";
        for (SourceLanguage language : SourceLanguage.values()) {
            assertThat(RecordingListener.start(sandbox, request(text, language)).end())
                    .isEqualTo(new SessionResult.ScriptReturned("100000"));
        }
    }

    @Tag("slow")
    @Test
    void workerWithAStuckParserIsReplaced() throws Exception {
        try (WorkerSandbox own = newOwnSandbox()) {
            Script slow = new Script(("x=a" + "<a".repeat(900) + ";").repeat(60), SourceLanguage.TYPESCRIPT);
            assertThat(RecordingListener.start(own, request("return 1", SourceLanguage.JAVASCRIPT))
                            .end())
                    .isEqualTo(new SessionResult.ScriptReturned("1"));
            List<ProcessHandle> first = ownWorkers();
            assertThat(own.check("t", slow).toCompletableFuture().get(120, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            ScriptCheckResult.ScriptRejected.class,
                            rejected -> assertThat(rejected.message()).contains("too long to read"));
            RecordingListener.start(own, request("return 1", SourceLanguage.JAVASCRIPT))
                    .end();
            await(() -> first.stream().anyMatch(each -> !each.isAlive()));
        }
    }

    @Test
    void memoryOfEndedScriptsIsFreed() throws Exception {
        long held = LIMITS.heapBytes() * 9 / 10;
        long maxKilobytes = 0;
        for (int i = 0; i < ROUNDS; i++) {
            assertThat(RecordingListener.start(
                                    sandbox,
                                    request(
                                            "globalThis.kept = new Uint8Array(" + held + "); return 1",
                                            SourceLanguage.JAVASCRIPT))
                            .end())
                    .isEqualTo(new SessionResult.ScriptReturned("1"));
            for (ProcessHandle worker : workers()) {
                maxKilobytes = Math.max(maxKilobytes, residentKilobytes(worker));
            }
        }
        // The heap limit plus the memory that the JVM needs besides the heap.
        assertThat(maxKilobytes).isLessThan((256 + 200) * 1024L);
    }

    private static SessionResult runWithHeap(String code, int megabytes) throws Exception {
        var limits = new SessionLimits(30_000, (long) megabytes << 20, 20, 8, 40, 2_000, 1_000, 100, 5, 10_000, 5);
        Script script = new Script(code, SourceLanguage.JAVASCRIPT);
        return RecordingListener.start(sandbox, new SessionRequest("s", "t", script, "{}", "{}", limits, Toolbox.EMPTY))
                .end();
    }

    private static void assertMemoryLimitReached(SessionResult end) {
        assertThat(end)
                .isInstanceOfSatisfying(
                        SessionResult.SessionLimitReached.class,
                        reached -> assertThat(reached.limit()).isEqualTo(SessionResult.SessionLimitType.MEMORY));
    }

    /** Each {@code +=} needs some 64 bytes until the text is read. */
    @Test
    void textsOfManyPartsEndTheSameWayEachTime() throws Exception {
        String build = "let text = ''; for (let i = 0; i < %d; i++) text += 'x'; const parts = [];"
                + " for (let i = 0; i < 1e5; i++) parts.push(text[i] + i); return text.length + parts.join('').length";
        for (int i = 0; i < REPETITIONS; i++) {
            assertThat(runWithHeap(build.formatted(1_000_000), 128))
                    .isEqualTo(new SessionResult.ScriptReturned("1588890"));
            assertMemoryLimitReached(runWithHeap(build.formatted(10_000_000), 128));
        }
    }

    @Test
    void memoryAboveTheLimitForAMomentIsAllowed() throws Exception {
        String hold = "let bytes = new Uint8Array(90 << 20); for (const end = Date.now() + %d; Date.now() < end;);"
                + " const { length } = bytes; bytes = null; for (const end = Date.now() + 1500; Date.now() < end;);"
                + " return length";
        for (int i = 0; i < REPETITIONS; i++) {
            assertThat(runWithHeap(hold.formatted(300), 64)).isEqualTo(new SessionResult.ScriptReturned("94371840"));
            assertMemoryLimitReached(runWithHeap(hold.formatted(10_000), 64));
        }
    }

    @Tag("slow")
    @Test
    void garbageOfEarlierScriptsIsNotChargedToTheNext() throws Exception {
        String data = "const a = [" + "'0123456789', ".repeat(17_000) + "0];";
        for (int i = 0; i < ROUNDS * 2; i++) {
            assertThat(RecordingListener.start(
                                    sandbox, request(data + "return a.length + " + i, SourceLanguage.JAVASCRIPT))
                            .end())
                    .isEqualTo(new SessionResult.ScriptReturned(Integer.toString(17_001 + i)));
        }
        String garbage = "let n = 0; for (let i = 0; i < 3e5; i++) { n += new Array(100).fill({ i }).length;"
                + " if (i % 1e4 === 0) await sleep(1) } return n";
        var limits = new SessionLimits(30_000, 64 << 20, 20, 8, 40, 2_000, 1_000, 100, 5, 10_000, 5);
        assertThat(RecordingListener.start(
                                sandbox,
                                new SessionRequest(
                                        "s",
                                        "t",
                                        new Script(garbage, SourceLanguage.JAVASCRIPT),
                                        "{}",
                                        "{}",
                                        limits,
                                        Toolbox.EMPTY))
                        .end())
                .isEqualTo(new SessionResult.ScriptReturned("30000000"));
    }

    private static long residentKilobytes(ProcessHandle process) {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        } catch (java.io.IOException e) {
            return 0;
        }
    }

    static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }
}
