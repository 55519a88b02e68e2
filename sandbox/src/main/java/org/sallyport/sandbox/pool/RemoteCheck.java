package org.sallyport.sandbox.pool;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SessionEnd;

/**
 * A script that a worker reads. Some scripts kill their reader; after the second time that is the verdict. Those that only
 * waited behind such a one are read by another worker.
 */
final class RemoteCheck implements Task {
    private static final int SUSPICIONS = 2;
    private static final int ATTEMPTS = 20;

    private final WorkerSandbox pool;
    private final String tenant;
    private final Script script;
    private final CompletableFuture<Preparation> verdict = new CompletableFuture<>();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger suspicions = new AtomicInteger();
    private volatile long started = System.nanoTime();

    RemoteCheck(WorkerSandbox pool, String tenant, Script script) {
        this.pool = pool;
        this.tenant = tenant;
        this.script = script;
    }

    Script script() {
        return script;
    }

    CompletableFuture<Preparation> verdict() {
        return verdict;
    }

    long startedNanos() {
        return started;
    }

    @Override
    public String tenant() {
        return tenant;
    }

    @Override
    public boolean isOver() {
        return verdict.isDone();
    }

    @Override
    public void runOn(Worker worker, long number) {
        attempts.incrementAndGet();
        started = System.nanoTime();
        worker.check(this, number);
    }

    @Override
    public void lost(SessionEnd end) {
        if (end instanceof SessionEnd.Lost lost && lost.reason() == SessionEnd.Reason.UNAVAILABLE) {
            verdict.completeExceptionally(new SandboxUnavailableException(lost.message()));
            return;
        }
        boolean suspect = end instanceof SessionEnd.Lost lost && lost.suspect();
        if ((suspect ? suspicions.incrementAndGet() : suspicions.get()) < SUSPICIONS && attempts.get() < ATTEMPTS) {
            pool.place(this);
        } else {
            verdict.complete(new Preparation.Rejected("The script cannot be read", 0, 0, ""));
        }
    }
}
