package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.policy.Policy;
import org.sallyport.sandbox.SessionRequest;

/** Where a node starts the execution of a capability. Its settings may differ from those at the submission. */
class CapabilitySandboxRunTest {
    private static ScriptRunFixture runs(String mode, boolean allow, String operator) {
        return new ScriptRunFixture(
                tenant -> Policy.defaultPolicy(),
                new CapabilitySandboxPolicy(mode.equals("inprocess"), allow, operator));
    }

    private static ExecutionId submit(ScriptRunFixture runs, String sandbox) {
        runs.capability = Optional.of(new CapabilityBinding(
                new CapabilityRef("shop.fees", "1.0.0"),
                Optional.empty(),
                Optional.ofNullable(sandbox).flatMap(CapabilitySandbox::of)));
        return runs.submit("return 1", Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({
        "worker, true, t, in-process, true",
        "worker, true, other, in-process, false",
        "worker, false, t, in-process, false",
        "worker, true, t, process, false",
        "worker, true, t, , false"
    })
    void onlyCapabilitiesOfTheOperatingTenantRunInProcess(
            String mode, boolean allow, String operator, String sandbox, boolean inProcess) throws Exception {
        ScriptRunFixture runs = runs(mode, allow, operator);
        assertThat(runs.runOnNewNode(submit(runs, sandbox))).isEqualTo(ExecutionState.COMPLETED);
        assertThat(runs.sessionRequests).extracting(SessionRequest::inProcess).containsExactly(inProcess);
    }

    /** Its publisher relies on the isolation. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void capabilityForAProcessOfItsOwnNeverRunsInTheServer(boolean allow) throws Exception {
        ScriptRunFixture runs = runs("inprocess", allow, "t");
        ExecutionId id = submit(runs, "process");
        assertThat(runs.runOnNewNode(id)).isEqualTo(ExecutionState.FAILED);
        assertThat(runs.sessionRequests).isEmpty();
        assertThat(runs.store.row(id).outcome)
                .isInstanceOfSatisfying(ExecutionOutcome.ExecutionFailed.class, failed -> {
                    assertThat(failed.error().code()).isEqualTo("sandbox-not-allowed");
                    assertThat(failed.error().message()).contains("sallyport.sandbox.mode");
                });
    }
}
