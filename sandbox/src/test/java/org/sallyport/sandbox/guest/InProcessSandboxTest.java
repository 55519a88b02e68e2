package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.GuestContract;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;

class InProcessSandboxTest extends SandboxContract {
    /** Repetitions of a test whose result must not depend on the order of threads. */
    private static final int TIMES = 2 * Integer.getInteger("sallyport.test.rounds", 5);

    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new InProcessSandbox(2);
    }

    @AfterAll
    static void close() {
        sandbox.close();
    }

    @Override
    protected Sandbox sandbox() {
        return sandbox;
    }

    /** Otherwise further results would fill the heap. */
    @Test
    void scriptsWaitWhileManyLongResultsWait() throws Exception {
        try (Sandbox full = new InProcessSandbox(2)) {
            List<RecordingListener> returned = Stream.generate(() -> RecordingListener.startWithoutReservations(
                            full,
                            GuestContract.request("return 'x'.repeat(1_900_000)", "{}", GuestContract.LARGE_LIMITS)))
                    .limit(5)
                    .toList();
            await(() -> returned.stream().noneMatch(each -> each.reservations().isEmpty()));
            RecordingListener held = RecordingListener.start(full, request("return 1", SourceLanguage.JAVASCRIPT));
            RecordingListener cancelled =
                    RecordingListener.start(full, request("await demo.never()", SourceLanguage.JAVASCRIPT));
            cancelled.session().cancel();
            assertThat(cancelled.end()).isEqualTo(new SessionResult.SessionCancelled());
            assertThat(cancelled.calls()).isEmpty();
            assertThat(held.isEnded()).isFalse();

            returned.get(0).grantReservations();

            assertThat(held.end()).isEqualTo(new SessionResult.ScriptReturned("1"));
            for (RecordingListener each : returned) {
                each.grantReservations();
                assertThat(each.end()).isInstanceOf(SessionResult.ScriptReturned.class);
            }
        }
    }

    /** A worker whose script does not end in time after a cancel is killed, with its other scripts. */
    @Test
    void waitingScriptsAreCancelledWhileAllThreadsCompute() throws Exception {
        try (Sandbox busy = new InProcessSandbox(2)) {
            RecordingListener calling =
                    RecordingListener.start(busy, request("await demo.never()", SourceLanguage.JAVASCRIPT));
            RecordingListener sleeping = RecordingListener.start(
                    busy, request("console.log('up'); await sleep(600_000)", SourceLanguage.JAVASCRIPT));
            RecordingListener reserving = RecordingListener.startWithoutReservations(
                    busy,
                    GuestContract.request(
                            "await demo.echo({ a: 'x'.repeat(40_000) })", "{}", GuestContract.LARGE_LIMITS));
            await(() -> !calling.calls().isEmpty()
                    && !sleeping.output().isEmpty()
                    && !reserving.reservations().isEmpty());
            List<RecordingListener> loops = Stream.generate(
                            () -> RecordingListener.start(busy, endless("console.log('up'); while (true) {}")))
                    .limit(GuestThreads.MAX_THREADS)
                    .toList();
            await(() -> loops.stream().noneMatch(loop -> loop.output().isEmpty()));
            RecordingListener queued = RecordingListener.start(busy, request("return 1", SourceLanguage.JAVASCRIPT));

            for (RecordingListener waiting : List.of(calling, sleeping, reserving, queued)) {
                waiting.session().cancel();
                assertThat(waiting.end()).isEqualTo(new SessionResult.SessionCancelled());
            }
            assertThat(loops).noneMatch(RecordingListener::isEnded);
            for (RecordingListener loop : loops) {
                loop.session().cancel();
                loop.end();
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    /**
     * During the close, threads of the sandbox create contexts for future sessions and close the context of the last
     * one.
     */
    @Test
    void closingASandboxAfterASessionAffectsNoOtherSandbox() throws Exception {
        for (int i = 0; i < TIMES; i++) {
            try (Sandbox brief = new InProcessSandbox(2)) {
                RecordingListener running =
                        RecordingListener.start(brief, request("await demo.never()", SourceLanguage.JAVASCRIPT));
                assertThat(RecordingListener.start(brief, request("return 1", SourceLanguage.JAVASCRIPT))
                                .end())
                        .isInstanceOf(SessionResult.ScriptReturned.class);
                running.session().cancel();
                assertThat(running.end()).isEqualTo(new SessionResult.SessionCancelled());
            }
        }
    }
}
