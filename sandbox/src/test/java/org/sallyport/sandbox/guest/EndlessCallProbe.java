package org.sallyport.sandbox.guest;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.sallyport.sandbox.OutputStreamKind;
import org.sallyport.sandbox.ReplayState;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.Toolbox;

/**
 * Runs scripts whose calls never end, one for each kind of call, see {@code endless-calls.table}. As a program, prints
 * their ends; a test starts it with the flags of a worker.
 */
public final class EndlessCallProbe {
    /** End of a line for a script that has exhausted the stack of its thread. */
    public static final String STACK_OVERFLOW = " and the stack of the thread has ended";

    private static final SessionLimits LIMITS =
            new SessionLimits(100_000, 64 << 20, 20, 8, 4_000, 2_000, 1_000, 10, 5, 10_000, 5);

    /** A script that catches the error and returns its name and the number of calls. */
    record EndlessCall(String kind, String code) {
        @Override
        public String toString() {
            return kind;
        }
    }

    private EndlessCallProbe() {}

    /** Prints one line for each script that it runs. The first argument is the {@code step} of {@link #ends}. */
    public static void main(String[] args) throws Exception {
        for (String line : ends(Integer.parseInt(args[0]))) {
            System.out.println(line);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    /**
     * Returns one line for each script that it runs: its kind and its end, with {@link #STACK_OVERFLOW} if that has
     * happened.
     *
     * @param step runs the first script and every {@code step}-th after it
     */
    public static List<String> ends(int step) throws Exception {
        List<String> lines = new ArrayList<>();
        GuestRuntime runtime = newRuntime();
        List<EndlessCall> scripts = scripts();
        for (int i = 0; i < scripts.size(); i += step) {
            EndlessCall call = scripts.get(i);
            SessionResult end = run(runtime, call.code());
            String outcome = end instanceof SessionResult.ScriptReturned returned ? returned.result() : end.toString();
            lines.add(call.kind() + ": " + outcome + (runtime.isDamaged() ? STACK_OVERFLOW : ""));
            if (runtime.isDamaged()) {
                runtime.close();
                runtime = newRuntime();
            }
        }
        runtime.close();
        return lines;
    }

    static GuestRuntime newRuntime() {
        return new GuestRuntime(new GuestSettings(1, false, null), () -> {});
    }

    static List<EndlessCall> scripts() {
        try (InputStream table = EndlessCallProbe.class.getResourceAsStream("../endless-calls.table")) {
            if (table == null) {
                throw new IllegalStateException("missing resource");
            }
            return Arrays.stream(new String(table.readAllBytes(), StandardCharsets.UTF_8).split("\n\n+"))
                    .map(block -> block.strip().split("\n", 2))
                    .map(lines -> new EndlessCall(
                            lines[0].substring(2),
                            "let n = 0; try { " + lines[1] + " } catch (e) { return e.name + ' after ' + n }"))
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Runs a script and returns its end. */
    static SessionResult run(GuestRuntime runtime, String code) throws Exception {
        return start(runtime, code).result();
    }

    /**
     * @param thread the thread on which the script ended
     */
    record EndOfSession(SessionResult result, Thread thread) {}

    static EndOfSession start(GuestRuntime runtime, String code) throws Exception {
        return start(runtime, code, SandboxDebugMode.NONE);
    }

    static EndOfSession start(GuestRuntime runtime, String code, SandboxDebugMode debugMode) throws Exception {
        CompletableFuture<EndOfSession> ended = new CompletableFuture<>();
        Script script = new Script(code, SourceLanguage.JAVASCRIPT);
        runtime.start(
                new SessionRequest(
                        "s", "t", script, "{}", "{}", LIMITS, Toolbox.EMPTY, "{}", debugMode, ReplayState.NONE, 0),
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
                        ended.complete(new EndOfSession(end, Thread.currentThread()));
                    }
                });
        return ended.get(120, TimeUnit.SECONDS);
    }
}
