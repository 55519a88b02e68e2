package org.sallyport.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;

/** A sandbox whose sessions do what the test makes them do. */
final class PuppetSandbox implements Sandbox {
    final List<Session> sessions = new ArrayList<>();
    boolean obeysCancel = true;

    final class Session implements SandboxSession {
        final SessionRequest request;
        final SessionListener listener;
        final List<String> delivered = new ArrayList<>();
        volatile boolean cancelled;

        Session(SessionRequest request, SessionListener listener) {
            this.request = request;
            this.listener = listener;
        }

        @Override
        public synchronized void resolve(long call, String result) {
            delivered.add(call + "=" + result);
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
        public synchronized void park(long millis) {
            delivered.add("park " + millis);
        }

        @Override
        public void cancel() {
            cancelled = true;
            if (obeysCancel) {
                listener.ended(new SessionEnd.Cancelled());
            }
        }

        synchronized List<String> delivered() {
            return List.copyOf(delivered);
        }
    }

    @Override
    public CompletionStage<Preparation> check(String tenant, Script script) {
        return CompletableFuture.completedFuture(new Preparation.Accepted());
    }

    @Override
    public synchronized SandboxSession start(SessionRequest request, SessionListener listener) {
        Session session = new Session(request, listener);
        sessions.add(session);
        return session;
    }

    /** The newest session. */
    synchronized Session last() {
        return sessions.get(sessions.size() - 1);
    }

    @Override
    public SandboxStatus status() {
        return new SandboxStatus("puppet", 0, 0, sessions.size(), List.of(), List.of());
    }

    @Override
    public void close() {}
}
