package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.SessionEnd;

class WorkerSandboxTest extends SandboxContract {
    private static final Path DATA = Path.of("target", "workers");
    private static final Sandbox SANDBOX = new WorkerSandbox(WorkerSettings.defaults(DATA));

    @AfterAll
    static void close() {
        SANDBOX.close();
    }

    @Override
    protected Sandbox sandbox() {
        return SANDBOX;
    }

    private static List<ProcessHandle> workers() {
        try (Stream<ProcessHandle> children = ProcessHandle.current().descendants()) {
            return children.filter(child -> child.info().command().orElse("").endsWith("java"))
                    .toList();
        }
    }

    @Test
    void whatIsThereIsUsed() {
        org.assertj.core.api.Assertions.assertThat(SANDBOX.status().missingIsolation())
                .isEmpty();
    }

    @Test
    void whatNoSoftMeansStopsIsStoppedWithinTwoSeconds() throws Exception {
        RecordingListener bomb = RecordingListener.start(
                SANDBOX,
                request("return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", Language.JAVASCRIPT));
        RecordingListener.start(SANDBOX, request("return 1", Language.JAVASCRIPT))
                .end();
        long start = System.nanoTime();
        bomb.session().cancel();
        assertThat(bomb.end()).isEqualTo(new SessionEnd.Cancelled());
        assertThat(System.nanoTime() - start).isLessThan(2_000_000_000L);
    }

    @Test
    void aScriptThatUsesUpTheHeapReachedItsLimit() throws Exception {
        RecordingListener greedy =
                RecordingListener.start(SANDBOX, request("'x'.repeat(2 ** 30 - 25)", Language.JAVASCRIPT));
        assertThat(greedy.end())
                .isInstanceOfSatisfying(
                        SessionEnd.LimitReached.class,
                        reached -> assertThat(reached.limit()).isEqualTo(SessionEnd.Limit.MEMORY));
    }

    @Test
    void killedWorkersLoseTheirSessionsAndNothingIsLeftAfterClose() throws Exception {
        List<ProcessHandle> before = workers();
        WorkerSandbox own = new WorkerSandbox(WorkerSettings.defaults(DATA));
        List<RecordingListener> three = Stream.of(1, 2, 3)
                .map(i -> RecordingListener.start(
                        own, request("console.log('up'); await demo.never()", Language.JAVASCRIPT)))
                .toList();
        await(() -> three.stream().allMatch(each -> each.output().contains("up")));
        workers().stream().filter(each -> !before.contains(each)).forEach(ProcessHandle::destroyForcibly);
        for (RecordingListener each : three) {
            assertThat(each.end())
                    .isInstanceOfSatisfying(
                            SessionEnd.Lost.class,
                            lost -> assertThat(lost.reason()).isEqualTo(SessionEnd.Reason.WORKER_LOST));
        }
        assertThat(RecordingListener.start(own, request("return 7", Language.JAVASCRIPT))
                        .end())
                .isEqualTo(new SessionEnd.Returned("7"));
        List<ProcessHandle> last =
                workers().stream().filter(each -> !before.contains(each)).toList();
        own.close();
        await(() -> last.stream().noneMatch(ProcessHandle::isAlive));
    }

    static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }
}
