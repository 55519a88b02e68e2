package org.sallyport.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.store.jpa.CommitFaults;
import org.sallyport.store.jpa.CommitFaults.CommitFault;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * Contract of {@link ApprovalStore} for commits that the store does not answer: each write takes effect once, whether
 * the first commit succeeded, failed, or succeeds after the write was repeated. Each test starts with an empty store.
 */
public abstract class ApprovalLostAnswerContract {
    private static final String TENANT = "tenant-a";

    protected abstract ApprovalStore approvals();

    protected abstract ExecutionStore store();

    protected abstract CommitFaults faults();

    private ExecutionId running() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence().id();
    }

    private static ApprovalRequest request(ExecutionId execution) {
        return new ApprovalRequest(
                execution,
                1,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                new Json("{}"),
                "mail",
                new ApprovalTerms(1, Duration.ofHours(1), ApprovalTerms.ExpiryAction.DENY, "mail needs an approval"));
    }

    @ParameterizedTest
    @EnumSource
    void approvalIsRequestedOnce(CommitFault fault) throws Exception {
        ApprovalRequest request = request(running());

        Approval repeated = faults().repeatAfter(fault, () -> approvals().requestApproval(request));

        assertThat(repeated.state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().list(TENANT, false, Optional.empty(), 10)).containsExactly(repeated);
    }
}
