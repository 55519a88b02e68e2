package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.GuestContract;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.guest.InProcessSandbox;

/** Which of two sandboxes runs a session. */
class ModeSelectingSandboxTest {
    private static final SessionResult IN_A_WORKER = new SessionResult.ScriptReturned("\"in a worker\"");

    /** Ends each session at once, so that it is told apart from one that ran in this process. */
    private static final class NoWorkers implements Sandbox {
        @Override
        public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
            return CompletableFuture.completedFuture(new ScriptCheckResult.ScriptAccepted());
        }

        @Override
        public SandboxSession start(SessionRequest request, SessionListener listener) {
            listener.onEnded(IN_A_WORKER);
            return new EndedSession();
        }

        @Override
        public SandboxStatus status() {
            return new SandboxStatus("worker", 1, 1, 0, List.of(), List.of());
        }

        @Override
        public void close() {}
    }

    private static final class EndedSession implements SandboxSession {
        @Override
        public void resolve(long call, String result) {}

        @Override
        public void reject(long call, GuestError error) {}

        @Override
        public void postpone(long call) {}

        @Override
        public void lowerParkThreshold(long millis) {}

        @Override
        public void cancel() {}
    }

    private static SessionResult run(Sandbox sandbox, SessionRequest request) throws Exception {
        return RecordingListener.start(sandbox, request).end();
    }

    @Test
    void onlySessionsThatRequestItRunInProcess() throws Exception {
        AtomicInteger created = new AtomicInteger();
        SessionRequest normal = GuestContract.request("return 1");
        SessionRequest inside = normal.withInProcess();
        Sandbox sandbox = new ModeSelectingSandbox(new NoWorkers(), () -> {
            created.incrementAndGet();
            return new InProcessSandbox(1);
        });
        try {
            assertThat(run(sandbox, normal)).isEqualTo(IN_A_WORKER);
            assertThat(created)
                    .as("created for the first session that needs it")
                    .hasValue(0);
            for (int i = 0; i < 2; i++) {
                assertThat(run(sandbox, inside)).isEqualTo(new SessionResult.ScriptReturned("1"));
            }
            assertThat(created).hasValue(1);
            assertThat(run(sandbox, inside.withOwnWorker())).isEqualTo(new SessionResult.ScriptReturned("1"));
            assertThat(sandbox.status().mode()).isEqualTo("worker");
        } finally {
            sandbox.close();
        }
        assertThat(run(sandbox, inside)).as("after the end").isEqualTo(IN_A_WORKER);
    }
}
