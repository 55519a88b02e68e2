package org.sallyport.sandbox.tier;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.sandbox.Debug;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;

/**
 * Runs scripts that are one tool call itself, at once and on the caller's threads, and leaves all others to another sandbox.
 * Nobody can tell by the outcome. Thread-safe.
 */
public final class TieredSandbox implements Sandbox {
    private static final SessionEnd CLOSED =
            new SessionEnd.Lost(SessionEnd.Reason.UNAVAILABLE, "The sandbox was closed");

    private final Sandbox inner;
    private final Set<CallSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param inner runs what is more than one call; closed with this one */
    public TieredSandbox(Sandbox inner) {
        this.inner = inner;
    }

    @Override
    public CompletionStage<Preparation> check(String tenant, Script script) {
        return !closed && Recognition.of(script).isPresent()
                ? CompletableFuture.completedFuture(new Preparation.Accepted())
                : inner.check(tenant, script);
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        Optional<PlannedCall> call = closed || request.debug() != Debug.NONE
                ? Optional.empty()
                : Recognition.of(request.script())
                        .flatMap(found -> found.call(ToolNames.of(request.toolbox())))
                        .filter(planned -> isWithin(request.limits(), planned));
        return call.isPresent() ? started(call.get(), request, listener) : inner.start(request, listener);
    }

    private SandboxSession started(PlannedCall call, SessionRequest request, SessionListener listener) {
        CallSession session = new CallSession(
                call, request.limits().resultChars(), request.parkMillis() > 0, listener, sessions::remove);
        sessions.add(session);
        if (closed) {
            session.end(CLOSED);
        }
        try {
            session.begin();
        } catch (RuntimeException failure) {
            sessions.remove(session);
            throw failure;
        }
        return session;
    }

    /** What passes a limit is refused by the guest, in its own words. */
    private static boolean isWithin(SessionLimits limits, PlannedCall call) {
        return limits.toolCalls() > 0 && limits.concurrentCalls() > 0 && call.size() <= limits.argumentChars();
    }

    @Override
    public SandboxStatus status() {
        SandboxStatus status = inner.status();
        return new SandboxStatus(
                status.mode(),
                status.workers(),
                status.warm(),
                status.sessions() + sessions.size(),
                status.isolation(),
                status.missingIsolation());
    }

    @Override
    public void close() {
        closed = true;
        sessions.forEach(session -> session.end(CLOSED));
        inner.close();
    }
}
