package org.sallyport.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;

/** A sandbox whose sessions the test controls. */
final class FakeSandbox implements Sandbox {
    final List<FakeSandboxSession> sessions = new ArrayList<>();
    boolean obeysCancel = true;
    private Optional<Consumer<FakeSandboxSession>> startListener = Optional.empty();

    final class FakeSandboxSession implements SandboxSession {
        final SessionRequest request;
        final SessionListener listener;
        final List<String> delivered = new ArrayList<>();
        volatile boolean cancelled;
        private Runnable deliveryListener = () -> {};

        FakeSandboxSession(SessionRequest request, SessionListener listener) {
            this.request = request;
            this.listener = listener;
        }

        @Override
        public synchronized void resolve(long call, String result) {
            delivered.add(call + "=" + result);
            Runnable listening = deliveryListener;
            deliveryListener = () -> {};
            listening.run();
        }

        /** Calls {@code listener} once, before the next delivery of a result returns. */
        synchronized void onNextResult(Runnable listener) {
            deliveryListener = listener;
        }

        @Override
        public synchronized void reject(long call, GuestError error) {
            delivered.add(call + "!" + error.code());
        }

        @Override
        public synchronized void postpone(long call) {
            delivered.add(call + "…");
        }

        @Override
        public synchronized void lowerParkThreshold(long millis) {
            delivered.add("park " + millis);
        }

        @Override
        public void cancel() {
            cancelled = true;
            if (obeysCancel) {
                listener.onEnded(new SessionResult.SessionCancelled());
            }
        }

        synchronized List<String> delivered() {
            return List.copyOf(delivered);
        }
    }

    @Override
    public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
        boolean given = script.language() != SourceLanguage.UNSPECIFIED;
        return CompletableFuture.completedFuture(
                new ScriptCheckResult.ScriptAccepted(given ? script.language() : SourceLanguage.JAVASCRIPT, false));
    }

    @Override
    public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
        return CompletableFuture.completedFuture(ScriptReferences.NONE);
    }

    @Override
    public synchronized SandboxSession start(SessionRequest request, SessionListener listener) {
        FakeSandboxSession session = new FakeSandboxSession(request, listener);
        sessions.add(session);
        Optional<Consumer<FakeSandboxSession>> listening = startListener;
        startListener = Optional.empty();
        listening.ifPresent(each -> each.accept(session));
        return session;
    }

    /** Calls {@code listener} once, before the next start of a session returns. */
    synchronized void onNextStart(Consumer<FakeSandboxSession> listener) {
        startListener = Optional.of(listener);
    }

    /** The session that was started last. */
    synchronized FakeSandboxSession last() {
        return sessions.get(sessions.size() - 1);
    }

    @Override
    public SandboxStatus status() {
        return new SandboxStatus("puppet", true, 0, 0, sessions.size(), List.of(), List.of());
    }

    @Override
    public void close() {}
}
