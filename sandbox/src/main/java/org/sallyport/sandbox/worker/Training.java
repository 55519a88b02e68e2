package org.sallyport.sandbox.worker;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.guest.GuestRuntime;
import org.sallyport.sandbox.guest.GuestSettings;

/** Runs small scripts that use what real ones use, so that nothing is loaded for the first time later. */
final class Training {
    private static final String PLAIN =
            "console.log('ready', { a: [1] }); await tools.t.echo({ a: 1 }); await sleep(1); return args;";
    private static final String FAILING =
            "try { await tools.t.echo({ a: 1n }); } catch (e) { console.error(e); } null.x;";
    private static final String TYPED =
            "enum E { A } interface I { a: number }\nconst i: I = { a: E.A };\nreturn structuredClone(i);";

    private static final SessionLimits LIMITS =
            new SessionLimits(10_000, 64 << 20, 10, 10, 10_000, 10_000, 10_000, 10, 1, 1, 1);

    private Training() {}

    /** Loads all that workers load, for an archive of classes that is written when this process exits. */
    static void run(GuestSettings settings) {
        try (GuestRuntime runtime = new GuestRuntime(settings, () -> {})) {
            for (int i = 0; i < 3; i++) {
                warmUp(runtime);
                run(runtime, FAILING, Language.JAVASCRIPT);
                run(runtime, TYPED, Language.TYPESCRIPT);
            }
            runtime.check(new Script("let = ;", Language.TYPESCRIPT))
                    .toCompletableFuture()
                    .join();
            runtime.check(new Script("export default (a) => a", Language.JAVASCRIPT))
                    .toCompletableFuture()
                    .join();
        }
    }

    static void warmUp(GuestRuntime runtime) {
        run(runtime, PLAIN, Language.JAVASCRIPT);
    }

    private static void run(GuestRuntime runtime, String code, Language language) {
        CompletableFuture<SandboxSession> session = new CompletableFuture<>();
        CompletableFuture<SessionEnd> ended = new CompletableFuture<>();
        session.complete(runtime.start(
                new SessionRequest(
                        "0",
                        "",
                        new Script(code, language),
                        "{}",
                        "{}",
                        LIMITS,
                        new Toolbox(List.of(new GuestTool("t", "echo")), List.of())),
                new SessionListener() {
                    @Override
                    public void called(long call, String backend, String tool, String arguments) {
                        session.thenAccept(started -> started.resolve(call, arguments));
                    }

                    @Override
                    public void printed(OutputStreamKind stream, String text) {}

                    @Override
                    public void truncated(OutputStreamKind stream) {}

                    @Override
                    public void progressed(double fraction, String text) {}

                    @Override
                    public void ended(SessionEnd end) {
                        ended.complete(end);
                    }
                }));
        ended.join();
    }
}
