package org.sallyport.sandbox.directcall;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;

/** A sandbox whose methods fail the test. */
final class FailingSandbox implements Sandbox {
    @Override
    public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
        throw new AssertionError("an engine was asked: " + script.code());
    }

    @Override
    public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
        throw new AssertionError("an engine was asked: " + script.code());
    }

    @Override
    public SandboxSession start(SessionRequest request, SessionListener listener) {
        throw new AssertionError("an engine was started: " + request.script().code());
    }

    @Override
    public SandboxStatus status() {
        return new SandboxStatus("none", false, 0, 0, 0, List.of(), List.of());
    }

    @Override
    public void close() {}
}
