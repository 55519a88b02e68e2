package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ErrorCode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.RerunOrigin;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Policy;

/** Executions whose recorded replies are more than a run holds in memory, with the real sandbox. */
class LongJournalRunTest {
    private static final int CALLS = 60;
    private static final String SCRIPT = """
            const big = 'x'.repeat(90_000);
            let total = 0;
            for (let n = 0; n < 60; n++) {
              total += (await b.effect({ n, big })).echo.big.length;
            }
            return total;
            """;
    private static final String RESULT = "5400000";

    private final ScriptRunFixture runs = new ScriptRunFixture(tenant -> Policy.defaultPolicy());

    LongJournalRunTest() {
        runs.limits = ScriptRunFixture.limitsWithJournal(100_000_000);
    }

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    private ExecutionId completed() throws InterruptedException {
        ExecutionId id = runs.submit(SCRIPT, Optional.empty());
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo(RESULT);
        assertThat(runs.toolBridge.takeCalls()).hasSize(CALLS);
        return id;
    }

    private static boolean isReply(TraceEvent event, long call) {
        return event instanceof TraceEvent.ToolEnded ended && ended.call() == call;
    }

    @Test
    void resumedRunReceivesAllReplies() throws Exception {
        ExecutionId id = completed();
        List<TraceEvent> trace = runs.store.row(id).trace;
        int reply = IntStream.range(0, trace.size())
                .filter(i -> isReply(trace.get(i), CALLS - 1))
                .findFirst()
                .orElseThrow();
        trace.subList(reply + 1, trace.size()).clear();
        runs.store.recover(id);

        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo(RESULT);
        assertThat(runs.toolBridge.takeCalls()).containsExactly(CALLS + " effect");
    }

    @Test
    void offlineRerunReceivesAllReplies() throws Exception {
        ExecutionId id = completed();
        rerun(id, SCRIPT, false);
    }

    @Test
    void offlineRerunOfAnEditedScriptReceivesAllReplies() throws Exception {
        ExecutionId id = completed();
        rerun(id, SCRIPT + "// edited", true);
    }

    /** Retention keeps an execution that a live one repeats, but may be deleting it when the re-run is accepted. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rerunWhoseRecordingIsDeletedMeanwhileFails(boolean edited) throws Exception {
        ExecutionId id = completed();
        ExecutionId rerun =
                runs.submit(SCRIPT, Optional.of(new RerunOrigin(id, RerunOrigin.RerunMode.OFFLINE, 1, edited)));
        runs.store.deletedAfterPosition = id;

        assertThat(runs.runOnNewNode(rerun)).isEqualTo(ExecutionState.FAILED);

        assertThat(result(rerun)).contains(ErrorCode.RECORDING_GONE.code());
        assertThat(runs.store.row(rerun).trace).as("calls before the deletion").anyMatch(event -> isReply(event, 1));
    }

    private void rerun(ExecutionId id, String code, boolean edited) throws InterruptedException {
        ExecutionId rerun =
                runs.submit(code, Optional.of(new RerunOrigin(id, RerunOrigin.RerunMode.OFFLINE, 1, edited)));
        assertThat(runs.runOnNewNode(rerun)).isEqualTo(ExecutionState.COMPLETED);
        assertThat(result(rerun)).isEqualTo(RESULT);
        assertThat(runs.toolBridge.takeCalls()).isEmpty();
    }
}
