package org.sallyport.web.api;

import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.submission.SubmissionService;

/** A submission service that waits for the check of its scripts until the test ends the check. */
final class PendingScriptCheck {
    private final CompletableFuture<ScriptCheckResult> check = new CompletableFuture<>();

    /** Creates the service. It accepts no script, so that it needs nothing that stores or runs one. */
    @SuppressWarnings("NullAway")
    SubmissionService newService() {
        return new SubmissionService(
                Configuration.read(Map.of(), Map.of()),
                null,
                fake(Sandbox.class, check),
                null,
                null,
                fake(ExecutionCounts.class, 0L),
                null,
                null,
                Runnable::run,
                null,
                null,
                null,
                null,
                null,
                InstantSource.system());
    }

    private static <T> T fake(Class<T> type, Object result) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, called, given) -> result));
    }

    /** Ends the check without a result: the submission is refused. */
    void fail() {
        check.completeExceptionally(new SandboxUnavailableException("no worker can be started"));
    }
}
