package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.SessionResult;

class CallDepthLimiterTest {
    @SuppressWarnings("NullAway.Init")
    private GuestRuntime runtime;

    @BeforeEach
    void open() {
        runtime = EndlessCallProbe.newRuntime();
    }

    @AfterEach
    void close() {
        runtime.close();
    }

    static List<EndlessCallProbe.EndlessCall> endlessCalls() {
        return EndlessCallProbe.scripts();
    }

    /** Slow: each row has a runtime of its own. WorkerCallDepthTest runs every fourth row in every build. */
    @Tag("slow")
    @ParameterizedTest
    @MethodSource("endlessCalls")
    void callsReachTheLimitBeforeTheStackEnds(EndlessCallProbe.EndlessCall call) throws Exception {
        assertThat(EndlessCallProbe.run(runtime, call.code()))
                .isInstanceOfSatisfying(
                        SessionResult.ScriptReturned.class,
                        returned -> assertThat(returned.result()).startsWith("\"RangeError after "));
        assertThat(runtime.isDamaged()).isFalse();
    }

    @Test
    void overflowThatIsNotCaughtEndsTheScript() throws Exception {
        assertThat(EndlessCallProbe.run(runtime, "const f = (s) => s.replace(/a/, f); f('a')"))
                .isInstanceOfSatisfying(
                        SessionResult.ScriptThrew.class,
                        threw -> assertThat(threw.message()).isEqualTo("RangeError: Maximum call stack size exceeded"));
        assertThat(runtime.isDamaged()).isFalse();
    }

    /** Only built-in functions call each other here, or the body of a generator needs very much of the stack. */
    static List<String> stackOverflows() {
        return List.of(
                "let list = []; for (let i = 0; i < 2e5; i++) list = [list];"
                        + " const at = (n) => n === 0 ? list.flat(Infinity) : at(n - 1); at(15000)",
                "JSON.parse('['.repeat(200000))",
                "const g = function* () { yield g().next().value" + " + 1".repeat(2_000) + " }; g().next()");
    }

    @ParameterizedTest
    @MethodSource("stackOverflows")
    void runtimeIsReplacedAfterTheStackOfAThreadHasEnded(String code) throws Exception {
        assertThat(EndlessCallProbe.run(runtime, "try { " + code + " } catch (e) { return e instanceof Error }"))
                .isEqualTo(new SessionResult.ScriptReturned("true"));
        assertThat(runtime.isDamaged()).isTrue();
    }

    /** Its engine is closed, but the classes are those of the process. */
    @Test
    void runtimeIsReplacedAfterTheStackHasEndedInADebugSession() throws Exception {
        var end = EndlessCallProbe.start(runtime, stackOverflows().get(0), SandboxDebugMode.PROFILE);
        assertThat(end.result()).isInstanceOf(SessionResult.ScriptThrew.class);
        assertThat(runtime.isDamaged()).isTrue();
    }

    @Test
    void deepCallsLeaveNoWeightBehind() throws Exception {
        String code = "let n = 0; const f = () => { n++; f() }; try { f() } catch { return n }";
        SessionResult first = EndlessCallProbe.run(runtime, code);
        assertThat(EndlessCallProbe.run(runtime, code)).isEqualTo(first);
    }

    /** So that the memory of its stack becomes free. */
    @Test
    void threadOfDeepCallsEnds() throws Exception {
        String code = "const f = (n) => n === 0 ? 1 : f(n - 1); return f(%d)";
        EndlessCallProbe.EndOfSession flat = EndlessCallProbe.start(runtime, code.formatted(100));
        EndlessCallProbe.EndOfSession deep = EndlessCallProbe.start(runtime, code.formatted(5_000));
        assertThat(deep.thread()).isSameAs(flat.thread());
        deep.thread().join(TimeUnit.SECONDS.toMillis(30));
        assertThat(deep.thread().isAlive()).isFalse();
        assertThat(EndlessCallProbe.run(runtime, code.formatted(100))).isEqualTo(flat.result());
    }
}
