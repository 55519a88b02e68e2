package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.sandbox.GuestContract;
import org.sallyport.sandbox.GuestError;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.SandboxSession;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SessionListener;
import org.sallyport.sandbox.SessionRequest;
import org.sallyport.sandbox.SessionResult;

/** Which of two sandboxes runs a session. */
class ModeSelectingSandboxTest {
    private static final SessionResult ENDED = new SessionResult.ScriptReturned("1");

    private final CountingSandbox workers = new CountingSandbox("worker");
    private final CountingSandbox inside = new CountingSandbox("inprocess");
    private final ModeSelectingSandbox sandbox = new ModeSelectingSandbox(workers, inside);

    /** Counts the sessions that it is asked to start, and ends them at once. */
    private static final class CountingSandbox implements Sandbox {
        private final String mode;
        private int started;
        private int sessions;
        private boolean closed;

        CountingSandbox(String mode) {
            this.mode = mode;
        }

        @Override
        public CompletionStage<ScriptCheckResult> check(String tenant, Script script) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<ScriptReferences> findReferences(String tenant, Script script) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SandboxSession start(SessionRequest request, SessionListener listener) {
            started++;
            listener.onEnded(ENDED);
            return new EndedSession();
        }

        @Override
        public SandboxStatus status() {
            return new SandboxStatus(mode, true, 1, 1, sessions, List.of(), List.of());
        }

        @Override
        public void close() {
            closed = true;
        }
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

    private void start(SessionRequest request) throws Exception {
        assertThat(RecordingListener.start(sandbox, request).end()).isEqualTo(ENDED);
    }

    private static SessionRequest debugged(SandboxDebugMode mode) {
        SessionRequest plain = GuestContract.request("return 1");
        return new SessionRequest(
                plain.id(),
                plain.tenant(),
                plain.script(),
                plain.args(),
                plain.context(),
                plain.limits(),
                plain.toolbox(),
                plain.env(),
                mode,
                plain.replayState(),
                plain.parkAfterMillis());
    }

    @Test
    void onlySessionsThatRequestItRunInProcess() throws Exception {
        start(GuestContract.request("return 1"));
        assertThat(inside.started).isZero();
        start(GuestContract.request("return 1").withInProcess());
        assertThat(inside.started).isEqualTo(1);
        assertThat(workers.started).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void debuggedSessionsRunInWorkers(SandboxDebugMode mode) throws Exception {
        start(debugged(mode).withInProcess());
        assertThat(inside.started).isZero();
        assertThat(workers.started).isEqualTo(1);
    }

    @Test
    void sessionThatNeedsItsOwnWorkerRunsInAWorker() throws Exception {
        start(GuestContract.request("return 1").withInProcess().withOwnWorker());
        assertThat(inside.started).isZero();
        assertThat(workers.started).isEqualTo(1);
    }

    @Test
    void numberOfSessionsInProcessIsBounded() throws Exception {
        inside.sessions = ModeSelectingSandbox.MAX_IN_PROCESS_SESSIONS;
        start(GuestContract.request("return 1").withInProcess());
        assertThat(workers.started).isEqualTo(1);
        inside.sessions--;
        start(GuestContract.request("return 1").withInProcess());
        assertThat(inside.started).isEqualTo(1);
    }

    @Test
    void statusCountsTheSessionsOfBothAndBothAreClosed() throws Exception {
        workers.sessions = 2;
        inside.sessions = 3;
        assertThat(sandbox.status().sessions()).isEqualTo(5);
        assertThat(sandbox.status().mode()).isEqualTo("worker");
        sandbox.close();
        assertThat(workers.closed && inside.closed).isTrue();
        start(GuestContract.request("return 1").withInProcess());
        assertThat(workers.started).as("refuses it").isEqualTo(1);
    }
}
