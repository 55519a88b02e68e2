package org.sallyport.sandbox.worker;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;
import org.sallyport.sandbox.guest.GuestRuntime;
import org.sallyport.sandbox.guest.GuestSettings;

/** Runs small scripts that use the features of typical scripts, so that later scripts find all classes loaded. */
final class WorkerCdsTraining {
    private static final String SUCCEEDING_SCRIPT =
            "console.log('ready', { a: [1] }); await tools.t.echo({ a: 1 }); await sleep(1); return args;";
    private static final String FAILING_SCRIPT =
            "try { await tools.t.echo({ a: 1n }); } catch (e) { console.error(e); } null.x;";
    private static final String TYPESCRIPT_SCRIPT =
            "enum E { A } interface I { a: number }\nconst i: I = { a: E.A };\nreturn structuredClone(i);";

    private static final SessionLimits LIMITS =
            new SessionLimits(10_000, 64 << 20, 10, 10, 10_000, 10_000, 10_000, 10, 1, 1, 1);

    private WorkerCdsTraining() {}

    /** Loads the classes that workers load, for a CDS archive that is written when this process exits. */
    static void runScripts(GuestSettings settings) {
        try (GuestRuntime runtime = new GuestRuntime(settings, () -> {})) {
            for (int i = 0; i < 3; i++) {
                warmUp(runtime);
                runScripts(runtime, FAILING_SCRIPT, SourceLanguage.JAVASCRIPT);
                runScripts(runtime, TYPESCRIPT_SCRIPT, SourceLanguage.TYPESCRIPT);
            }
            runtime.check(new Script("let = ;", SourceLanguage.TYPESCRIPT))
                    .toCompletableFuture()
                    .join();
            runtime.check(new Script("export default (a) => a", SourceLanguage.JAVASCRIPT))
                    .toCompletableFuture()
                    .join();
        }
    }

    static void warmUp(GuestRuntime runtime) {
        runScripts(runtime, SUCCEEDING_SCRIPT, SourceLanguage.JAVASCRIPT);
    }

    private static void runScripts(GuestRuntime runtime, String code, SourceLanguage language) {
        CompletableFuture<SandboxSession> session = new CompletableFuture<>();
        CompletableFuture<SessionResult> ended = new CompletableFuture<>();
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
                    public void onToolCall(long call, String backend, String tool, String arguments) {
                        session.thenAccept(started -> started.resolve(call, arguments));
                    }

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
                }));
        ended.join();
    }
}
