package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyDecision;

/** Executions that may only read, with the real sandbox. */
class ReadOnlyRunTest {
    private volatile Policy policy = Policy.defaultPolicy();
    private final ScriptRunFixture runs =
            new ScriptRunFixture(tenant -> (tool, arguments, situation) -> policy.decide(tool, arguments, situation));

    private String result(ExecutionId id) {
        return runs.store.row(id).outcome instanceof ExecutionOutcome.ExecutionCompleted completed
                ? completed.result().text()
                : String.valueOf(runs.store.row(id).outcome);
    }

    private ExecutionId readOnly(String code) {
        return runs.submit(code, Optional.empty(), EffectMode.READ_ONLY);
    }

    private void complete(ExecutionId id) throws Exception {
        assertThat(runs.runOnNewNode(id)).as(result(id)).isEqualTo(ExecutionState.COMPLETED);
    }

    @Test
    void onlyReadOnlyCallsAreMade() throws Exception {
        ExecutionId id = readOnly("const r = await b.read({ n: 3 });"
                + " const e = await Promise.allSettled([b.effect({}), b.again({}), b.mail({ to: 'x' })]);"
                + " return [r, ...e.map((each) => each.reason.code)]");

        complete(id);

        assertThat(result(id)).isEqualTo("[{\"echo\":{\"n\":3}},\"denied\",\"denied\",\"denied\"]");
        assertThat(runs.toolBridge.takeCalls()).containsExactly("1 read");
    }

    @Test
    void noEventIsEmittedAndNoApprovalRequested() throws Exception {
        ExecutionId id = readOnly("const e = await Promise.allSettled("
                + "[events.emit('done', 1), approvals.request({ title: 'Ship?' }), artifacts.write('a', 'text')]);"
                + " return e.map((each) => each.reason?.message ?? 'made')");

        complete(id);

        assertThat(result(id))
                .contains("'events.emit' may change something")
                .contains("'approvals.request' may change something")
                .contains("submit the items without 'coalesce' (rule readOnly)")
                .endsWith("\"made\"]");
        assertThat(runs.approvals.size()).isZero();
        assertThat(runs.store.readTrace(id, 0, 100))
                .filteredOn(TraceEvent.PolicyDecided.class::isInstance)
                .extracting(event -> ((TraceEvent.PolicyDecided) event).decision())
                .containsExactly("deny", "deny");
    }

    @Test
    void effectIsDeniedAlsoIfAPolicyWouldAskForApproval() throws Exception {
        policy = (tool, arguments, situation) -> new PolicyDecision.AskDecision(
                "four-eyes",
                new ApprovalTerms(1, ApprovalTerms.DEFAULT_TIMEOUT, ApprovalTerms.ExpiryAction.DENY, "why"),
                false);
        ExecutionId id = readOnly("return await b.effect({}).catch((e) => e.code)");

        complete(id);

        assertThat(result(id)).isEqualTo("\"denied\"");
        assertThat(runs.approvals.size()).isZero();
    }

    @Test
    void effectIsDeniedAfterACrash() throws Exception {
        for (int death = 0; death < 4; death++) {
            ExecutionId id =
                    readOnly("const r = await b.read({}); return [r, await b.effect({}).catch((e) => e.code)]");
            runs.runThroughCrashes(id, List.of(death));
            assertThat(result(id)).isEqualTo("[{\"echo\":{}},\"denied\"]");
            assertThat(runs.toolBridge.takeCalls()).containsOnly("1 read");
        }
    }
}
