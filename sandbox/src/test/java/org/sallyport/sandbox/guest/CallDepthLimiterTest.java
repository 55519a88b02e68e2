package org.sallyport.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;

class CallDepthLimiterTest {
    private static final SessionLimits LIMITS =
            new SessionLimits(20_000, 64 << 20, 20, 8, 4_000, 2_000, 1_000, 10, 5, 10_000, 5);

    private static SessionResult run(GuestRuntime runtime, String code) throws Exception {
        CompletableFuture<SessionResult> ended = new CompletableFuture<>();
        Script script = new Script(code, SourceLanguage.JAVASCRIPT);
        runtime.start(
                new SessionRequest("s", "t", script, "{}", "{}", LIMITS, new Toolbox(List.of(), List.of())),
                new SessionListener() {
                    @Override
                    public void onToolCall(long call, String backend, String tool, String arguments) {}

                    @Override
                    public void onOutput(OutputStreamKind stream, String text) {}

                    @Override
                    public void onOutputTruncated(OutputStreamKind stream) {}

                    @Override
                    public void onProgress(double fraction, String text) {}

                    @Override
                    public void onEnded(SessionResult end) {
                        ended.complete(end);
                    }
                });
        return ended.get(60, TimeUnit.SECONDS);
    }

    @Test
    void overflowOfTheCallStackDamagesNoRuntime() throws Exception {
        try (GuestRuntime runtime = new GuestRuntime(new GuestSettings(1, false, null), () -> {})) {
            assertThat(run(runtime, "let n = 0; const f = () => { n++; f() }; try { f() } catch (e) { return e.name }"))
                    .isEqualTo(new SessionResult.ScriptReturned("\"RangeError\""));
            assertThat(run(runtime, "const f = (s) => s.replace(/a/, f); f('a')"))
                    .isInstanceOfSatisfying(
                            SessionResult.ScriptThrew.class,
                            threw -> assertThat(threw.message())
                                    .isEqualTo("RangeError: Maximum call stack size exceeded"));
            assertThat(runtime.isDamaged()).isFalse();
        }
    }

    /** Only built-in functions call each other here, so no function is counted. */
    @Test
    void runtimeIsReplacedAfterTheStackOfAThreadHasEnded() throws Exception {
        try (GuestRuntime runtime = new GuestRuntime(new GuestSettings(1, false, null), () -> {})) {
            assertThat(run(
                            runtime,
                            "let list = []; for (let i = 0; i < 2e5; i++) list = [list];"
                                    + " try { list.flat(Infinity) } catch (e) { return e.name }"))
                    .isEqualTo(new SessionResult.ScriptReturned("\"RangeError\""));
            assertThat(runtime.isDamaged()).isTrue();
        }
    }
}
