package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.JournalSize;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Policy;

/** Executions whose journals reach their limit, with the real sandbox. */
class JournalLimitRunTest {
    private static final int MAX_BYTES = 6_000;
    /** The arguments and the result of a call have about 1,500 bytes each. */
    private static final String SCRIPT = """
            const seen = [];
            const big = 'x'.repeat(1_500);
            for (let n = 0; n < 5; n++) {
              seen.push(await b.again({ n, big }).then((r) => r.echo.n, (e) => e.code));
            }
            return seen;
            """;

    private static final String RESULT = "[0,\"too-large\",\"journal-limit\",\"journal-limit\",\"journal-limit\"]";

    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> Policy.defaultPolicy());

    JournalLimitRunTest() {
        runs.limits = ScriptRunFixture.limitsWithJournal(MAX_BYTES);
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    private ExecutionId completed() throws InterruptedException {
        ExecutionId id = runs.submit(SCRIPT, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        return id;
    }

    @Test
    void callsWithoutRoomAreNotSentAndResultsWithoutRoomAreReplaced() throws Exception {
        ExecutionId id = completed();
        assertThat(result(id)).isEqualTo(RESULT);
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 again", "2 again");
        assertThat(JournalSize.ofEntries(runs.store.row(id).trace)).isLessThan(MAX_BYTES + 5 * 1_500);
    }

    @Test
    void limitIsReachedAtTheSameCallAfterEachCrash() throws Exception {
        ExecutionId id = completed();
        List<TraceEvent> stored = List.copyOf(runs.store.row(id).trace);
        for (int written = 1; written < stored.size(); written++) {
            List<TraceEvent> trace = runs.store.row(id).trace;
            trace.clear();
            trace.addAll(stored.subList(0, written));
            runs.store.recover(id);
            assertThat(runs.runOnNewNode(id)).as(written + " entries").isEqualTo(ExecutionState.COMPLETED);
            assertThat(result(id)).as(written + " entries").isEqualTo(RESULT);
        }
    }

    @Test
    void offlineRerunReceivesTheSameErrors() throws Exception {
        ExecutionId id = completed();
        runs.toolBridge.takeCalls();
        ExecutionId rerun =
                runs.submit(SCRIPT, Optional.of(new RerunOrigin(id, RerunOrigin.RerunMode.OFFLINE, 1, false)));
        assertThat(runs.runOnNewNode(rerun)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(rerun)).isEqualTo(RESULT);
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }
}
