package org.sallyport.sandbox.directcall;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionLimits;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.parser.SourceText;

/**
 * Runs scripts that are one tool call itself, immediately and on the caller's threads, and passes all other scripts to
 * another sandbox. The results are identical in both cases. Thread-safe.
 */
public final class TieredSandbox implements Sandbox {
    private static final SessionResult CLOSED =
            new SessionResult.SessionLost(SessionResult.SessionLossReason.UNAVAILABLE, "The sandbox was closed");

    private final Sandbox delegate;
    private final Set<DirectCallSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param inner runs scripts that are more than one call; closed with this sandbox
     */
    public TieredSandbox(Sandbox inner) {
        this.delegate = inner;
    }

    @Override
    public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
        return !closed && DirectCallMatcher.of(script).isPresent()
                ? CompletableFuture.completedFuture(new ScriptCheckResult.ScriptAccepted(language(script), false))
                : delegate.check(tenant, script);
    }

    @Override
    public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
        return delegate.findReferences(tenant, script);
    }

    /** Returns the language of a script that is one call. */
    private static SourceLanguage language(Script script) {
        if (script.language() != SourceLanguage.UNSPECIFIED) {
            return script.language();
        }
        return SourceText.onlyCandidate(script)
                .map(SourceText::language)
                .filter(language -> language == SourceLanguage.TYPESCRIPT)
                .orElse(SourceLanguage.JAVASCRIPT);
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        Optional<DirectCall> call = closed || request.debugMode() != SandboxDebugMode.NONE
                ? Optional.empty()
                : DirectCallMatcher.of(request.script())
                        .flatMap(found -> found.resolveCall(ToolNameLookup.of(request.toolbox())))
                        .filter(planned -> isWithinLimits(request.limits(), planned));
        return call.isPresent() ? startDirect(call.get(), request, listener) : delegate.start(request, listener);
    }

    private SandboxSession startDirect(DirectCall call, SessionRequest request, SessionListener listener) {
        DirectCallSession session = new DirectCallSession(
                call, request.limits().resultChars(), request.parkAfterMillis() > 0, listener, sessions::remove);
        sessions.add(session);
        if (closed) {
            session.end(CLOSED);
        }
        try {
            session.start();
        } catch (RuntimeException failure) {
            sessions.remove(session);
            throw failure;
        }
        return session;
    }

    /** The guest refuses a call that exceeds a limit, with its own message. */
    private static boolean isWithinLimits(SessionLimits limits, DirectCall call) {
        return limits.toolCalls() > 0 && limits.concurrentCalls() > 0 && call.argumentChars() <= limits.argumentChars();
    }

    @Override
    public SandboxStatus status() {
        SandboxStatus status = delegate.status();
        return new SandboxStatus(
                status.mode(),
                status.available(),
                status.workers(),
                status.idleWorkers(),
                status.sessions() + sessions.size(),
                status.isolation(),
                status.missingIsolation());
    }

    @Override
    public void close() {
        closed = true;
        sessions.forEach(session -> session.end(CLOSED));
        delegate.close();
    }
}
