package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.spec.McpSchema.ElicitResult;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult.Action;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.web.openapi.ApiDescription;

class ApprovalElicitorTest {
    private static final Caller CALLER = new Caller("key", "tenant", Set.of(Role.APPROVER));

    private static ElicitResult said(Action action, Map<String, Object> content) {
        return new ElicitResult(action, content);
    }

    @Test
    void onlyADecisiveReplyIsAVote() {
        assertThat(ApprovalElicitor.toVote(CALLER, said(Action.ACCEPT, Map.of("decision", "approve", "note", "fine"))))
                .hasValueSatisfying(ballot -> {
                    assertThat(ballot.approve()).isTrue();
                    assertThat(ballot.voter()).isEqualTo("key");
                    assertThat(ballot.note()).isEqualTo("fine");
                    assertThat(ballot.wholeExecution()).isFalse();
                });
        assertThat(ApprovalElicitor.toVote(CALLER, said(Action.ACCEPT, Map.of("decision", "deny"))))
                .hasValueSatisfying(ballot -> assertThat(ballot.approve()).isFalse());
        assertThat(ApprovalElicitor.toVote(CALLER, said(Action.DECLINE, Map.of())))
                .hasValueSatisfying(ballot -> assertThat(ballot.approve()).isFalse());
        assertThat(ApprovalElicitor.toVote(CALLER, said(Action.CANCEL, Map.of())))
                .isEmpty();
        assertThat(ApprovalElicitor.toVote(CALLER, said(Action.ACCEPT, Map.of())))
                .isEmpty();
        assertThat(ApprovalElicitor.toVote(CALLER, said(Action.ACCEPT, Map.of("decision", true))))
                .isEmpty();
    }

    @Test
    void undecidedVoteIsNotReportedAsADecision() {
        assertThat(ApprovalElicitor.voteResult(ApiDescription.parse("""
                        {"state": "PENDING", "approvers": 2, "approvedBy": ["key"]}
                        """.getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(" counts this vote and waits for 1 more");
        assertThat(ApprovalElicitor.voteResult(ApiDescription.parse(
                        "{\"state\": \"APPROVED\", \"approvers\": 1}".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(" is approved");
    }

    @Test
    void longNoteIsTruncated() {
        assertThat(ApprovalElicitor.toVote(
                        CALLER, said(Action.ACCEPT, Map.of("decision", "deny", "note", "x".repeat(9_000)))))
                .hasValueSatisfying(ballot -> assertThat(ballot.note()).hasSize(2_000));
    }
}
