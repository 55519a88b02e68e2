package org.sallyport.sandbox;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Answers {@code echo} with its arguments, fails {@code fail}, leaves all else open; keeps what was printed. */
public final class RecordingListener implements SessionListener {
    private final CompletableFuture<SandboxSession> session = new CompletableFuture<>();
    private final CompletableFuture<SessionEnd> end = new CompletableFuture<>();
    private final StringBuilder output = new StringBuilder();

    public static RecordingListener start(Sandbox sandbox, SessionRequest request) {
        RecordingListener listener = new RecordingListener();
        listener.session.complete(sandbox.start(request, listener));
        return listener;
    }

    public SandboxSession session() {
        return session.join();
    }

    public String output() {
        synchronized (output) {
            return output.toString();
        }
    }

    public boolean isEnded() {
        return end.isDone();
    }

    public SessionEnd end() throws Exception {
        return end.get(20, TimeUnit.SECONDS);
    }

    @Override
    public void called(long call, String backend, String tool, String arguments) {
        session.thenAccept(started -> {
            if (tool.equals("echo")) {
                started.resolve(call, arguments);
            } else if (tool.equals("fail")) {
                started.reject(call, new GuestError("tool-failed", "it failed", true, null));
            }
        });
    }

    @Override
    public void printed(OutputStreamKind stream, String text) {
        synchronized (output) {
            output.append(stream).append(':').append(text);
        }
    }

    @Override
    public void truncated(OutputStreamKind stream) {
        synchronized (output) {
            output.append("[cut ").append(stream).append(']');
        }
    }

    @Override
    public void progressed(double fraction, String text) {}

    @Override
    public void ended(SessionEnd ended) {
        end.complete(ended);
    }
}
