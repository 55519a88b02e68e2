package org.sallyport.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
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

    protected abstract ApprovalLinkStore links();

    protected abstract ExecutionStore store();

    protected abstract CommitFaults faults();

    private ExecutionId running() {
        NewExecution execution = anExecution().build();
        store().insert(execution);
        return store().claim(execution.id(), "node.1").orElseThrow().fence().id();
    }

    private static ApprovalRequest request(ExecutionId execution, int approvers) {
        return new ApprovalRequest(
                execution,
                1,
                ApprovalKind.CALL,
                0,
                new ToolName("mail", "send"),
                new Json("{}"),
                "mail",
                new ApprovalTerms(
                        approvers, Duration.ofHours(1), ApprovalTerms.ExpiryAction.DENY, "mail needs an approval"));
    }

    @ParameterizedTest
    @EnumSource
    void approvalIsRequestedOnce(CommitFault commitFault) throws Exception {
        ApprovalRequest request = request(running(), 1);

        Approval repeated = faults().repeatAfter(commitFault, () -> approvals().requestApproval(request));

        assertThat(repeated.state()).isEqualTo(ApprovalState.PENDING);
        assertThat(approvals().list(TENANT, false, Optional.empty(), 10)).containsExactly(repeated);
    }

    private UUID requested(int approvers) {
        return approvals().requestApproval(request(running(), approvers)).id();
    }

    private static ApprovalVote vote(boolean approve) {
        return new ApprovalVote("anna", approve, false, Optional.empty(), Optional.empty(), "seen");
    }

    /** The store repeats the vote itself. */
    private VoteResult cast(CommitFault commitFault, UUID approval, ApprovalVote vote) throws Exception {
        faults().failCommit(commitFault, 1);
        return faults().repeat(() -> approvals().vote(TENANT, approval, vote));
    }

    private Approval found(UUID id) {
        return approvals().find(TENANT, id).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void decidingVoteDecidesOnce(CommitFault commitFault) throws Exception {
        UUID id = requested(1);

        assertThat(cast(commitFault, id, vote(true))).isInstanceOf(VoteResult.VoteDecided.class);

        assertThat(found(id).state()).isEqualTo(ApprovalState.APPROVED);
        assertThat(found(id).voters()).containsExactly("anna");
        assertThat(approvals().vote(TENANT, id, vote(true))).isInstanceOf(VoteResult.VoteTooLate.class);
    }

    @ParameterizedTest
    @EnumSource
    void oneOfTwoVotesCountsOnce(CommitFault commitFault) throws Exception {
        UUID id = requested(2);

        assertThat(cast(commitFault, id, vote(true))).isInstanceOf(VoteResult.VoteCounted.class);

        assertThat(found(id).state()).isEqualTo(ApprovalState.PENDING);
        assertThat(found(id).voters()).containsExactly("anna");
    }

    @ParameterizedTest
    @EnumSource
    void denialDecidesOnce(CommitFault commitFault) throws Exception {
        UUID id = requested(2);

        assertThat(cast(commitFault, id, vote(false))).isInstanceOf(VoteResult.VoteDecided.class);

        assertThat(found(id).state()).isEqualTo(ApprovalState.DENIED);
    }

    @ParameterizedTest
    @EnumSource
    void voteByLinkCountsOnce(CommitFault commitFault) throws Exception {
        UUID id = requested(1);
        ApprovalLink link = new ApprovalLink(
                UUID.randomUUID(),
                TENANT,
                id,
                "5ea1".repeat(16),
                new ApprovalLink.LinkCreator("anna", Optional.empty()),
                Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS),
                false);
        assertThat(links().add(link, 100, 100)).isTrue();

        assertThat(cast(commitFault, id, vote(true).withLink(link.id()))).isInstanceOf(VoteResult.VoteDecided.class);

        assertThat(found(id).state()).isEqualTo(ApprovalState.APPROVED);
        assertThat(links().find(link.id()).orElseThrow().used()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void voteAfterTheDecisionOfAnotherIsTooLate(CommitFault commitFault) throws Exception {
        UUID id = requested(1);
        approvals().vote(TENANT, id, new ApprovalVote("ben", true, false, Optional.empty(), Optional.empty(), "fine"));

        assertThat(cast(commitFault, id, vote(true))).isInstanceOf(VoteResult.VoteTooLate.class);
    }
}
