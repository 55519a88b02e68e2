package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.sallyport.sandbox.RecordingListener;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxContract;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.SourceLanguage;

/** Runs the contract with a separate worker for every session. */
@Tag("slow")
class WorkerSandboxShareNoneTest extends SandboxContract {
    @SuppressWarnings("NullAway.Init")
    private static Sandbox sandbox;

    @BeforeAll
    static void open() {
        sandbox = new WorkerSandbox(new WorkerSettings(
                Path.of("target", "workers"),
                Optional.empty(),
                128,
                1,
                2,
                4,
                10,
                1_000,
                Duration.ofMinutes(10),
                WorkerSharing.NONE,
                Duration.ofMillis(500),
                0,
                Optional.empty(),
                false));
    }

    @AfterAll
    static void close() {
        sandbox.close();
    }

    @Override
    protected Sandbox sandbox() {
        return sandbox;
    }

    /** Workers are not shared here, so further sessions wait for a free worker. */
    @Override
    protected int endlessSessionCount() {
        return 2;
    }

    @Test
    void dyingWorkerDoesNotAffectItsNeighbor() throws Exception {
        RecordingListener neighbour =
                RecordingListener.start(sandbox, request("await sleep(3000); return 1", SourceLanguage.JAVASCRIPT));
        RecordingListener greedy =
                RecordingListener.start(sandbox, request("'x'.repeat(2 ** 30 - 25)", SourceLanguage.JAVASCRIPT));
        assertThat(greedy.end()).isInstanceOf(SessionResult.SessionLimitReached.class);
        assertThat(neighbour.end()).isEqualTo(new SessionResult.ScriptReturned("1"));
    }
}
