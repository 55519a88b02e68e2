package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.approval.Approval;
import org.sallyport.approval.ApprovalKind;
import org.sallyport.approval.ApprovalRequest;
import org.sallyport.approval.ApprovalState;
import org.sallyport.execution.ExecutionId;
import org.sallyport.policy.ApprovalTerms;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

class ApprovalPageTest {
    /** Newest first. */
    private final List<Approval> stored = new ArrayList<>();

    private int maxRequested;

    private List<Approval> read(Optional<UUID> before, int limit) {
        maxRequested = Math.max(maxRequested, limit);
        int start = before.map(id -> ids(stored).indexOf(id) + 1).orElse(0);
        return stored.stream().skip(start).limit(limit).toList();
    }

    private static List<UUID> ids(List<Approval> approvals) {
        return approvals.stream().map(Approval::id).toList();
    }

    /** Stores approvals, each with arguments of this length. */
    private void ask(int count, int chars) {
        for (int i = 0; i < count; i++) {
            ApprovalRequest question = new ApprovalRequest(
                    new ExecutionId(new UUID(1, 2)),
                    1,
                    ApprovalKind.CALL,
                    0,
                    new ToolName("mail", "send"),
                    new Json("\"" + "x".repeat(chars - 2) + "\""),
                    "mail",
                    new ApprovalTerms(1, Duration.ofDays(1), ApprovalTerms.ExpiryAction.DENY, ""));
            stored.add(new Approval(
                    new UUID(1, 1_000 - stored.size()),
                    question,
                    question.hash(),
                    "requester",
                    ApprovalState.PENDING,
                    Instant.EPOCH,
                    Instant.EPOCH.plus(Duration.ofDays(1)),
                    List.of(),
                    Optional.empty(),
                    Approval.ReminderStatus.NONE));
        }
    }

    private ApprovalPage page(Optional<UUID> before, int limit) {
        return ApprovalPage.read(this::read, before, limit, 10_000);
    }

    @Test
    void pagesOfLargeApprovalsAreShorterAndTogetherComplete() {
        ask(7, 4_000);

        List<UUID> seen = new ArrayList<>();
        Optional<UUID> last = Optional.empty();
        ApprovalPage page;
        do {
            page = page(last, 50);
            assertThat(page.approvals()).hasSizeBetween(1, 2);
            seen.addAll(ids(page.approvals()));
            last = Optional.of(seen.get(seen.size() - 1));
        } while (page.more());

        assertThat(seen).isEqualTo(ids(stored));
        assertThat(maxRequested).isLessThanOrEqualTo(4);
    }

    @Test
    void pageHasAtLeastOneApproval() {
        ask(2, 50_000);

        assertThat(page(Optional.empty(), 50).approvals()).hasSize(1);
        assertThat(page(Optional.empty(), 50).more()).isTrue();
    }

    @Test
    void pageOfSmallApprovalsEndsAtItsLimit() {
        ask(12, 2);

        assertThat(page(Optional.empty(), 12).approvals()).hasSize(12);
        assertThat(page(Optional.empty(), 12).more()).isFalse();
        assertThat(page(Optional.empty(), 11).approvals()).hasSize(11);
        assertThat(page(Optional.empty(), 11).more()).isTrue();
        assertThat(page(Optional.of(stored.get(10).id()), 5).approvals()).containsExactly(stored.get(11));
    }
}
